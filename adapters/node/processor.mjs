/**
 * @typedef {{ user: number, system: number }} Used microseconds of processor time, as process.cpuUsage has it
 */

/**
 * CPU of the contract: the processor time of several processes together, nanoseconds as decimal strings.
 *
 * @param {Used[]} processes
 */
export function processor(processes) {
  const sum = (/** @type {(one: Used) => number} */ part) =>
    processes.reduce((total, one) => total + part(one), 0) * 1000;
  return { user_ns: `${sum((one) => one.user)}`, system_ns: `${sum((one) => one.system)}` };
}
