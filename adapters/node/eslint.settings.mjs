// How JavaScript is linted here. Each adapter hands in the rules of its own @eslint/js, which only its folder has.

const GLOBALS =
  'AbortSignal Buffer URL clearInterval clearTimeout console fetch process setImmediate setInterval setTimeout structuredClone';

/** @param {string} names */
const globals = (names) => Object.fromEntries(names.split(' ').map((name) => [name, 'readonly']));

/** @param {any} recommended */
export const settings = (recommended) => [
  { ignores: ['target/', 'node_modules/'] },
  recommended,
  {
    languageOptions: { globals: globals(GLOBALS) },
    rules: {
      eqeqeq: 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      curly: ['error', 'multi-line', 'consistent'],
    },
  },
];
