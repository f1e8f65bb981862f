// JSON as the service has it, and messages as @grpc/proto-loader gives them: plain objects with the fields' names, 64-bit integers as
// text, enumerations as numbers, bytes as a Buffer. Nothing of this is timed.

import { Failure } from '../kit/failure.mjs';

/**
 * @typedef {{ key: string, name: string, kind: string, type: string, shape: 'one' | 'optional' | 'many' | 'map', oneof: string,
 *   nullable: boolean, of: string }} Field `of`: what the keys of a map are
 *
 * @typedef {{ wrapped: boolean, fields: Field[] }} Message
 * @typedef {object} Schema
 * @property {string} service its full name
 * @property {Record<string, [string, string]>} calls the types of request and answer
 * @property {Record<string, Message>} messages
 * @property {Record<string, [string, number][]>} enumerations
 */

/** The keys of a map that protobufjs reads as they were written. */
const KEYS = ['string', 'int32', 'uint32'];

/** The values of a schema, between JSON and messages. */
export class Messages {
  /** @param {Schema} schema */
  constructor(schema) {
    this.schema = schema;
  }

  /** @param {string} type @param {any} json @returns {any} */
  fromJson(type, json) {
    const { wrapped, fields } = this.message(type);
    /** @type {Record<string, any>} */
    const made = {};
    for (const field of fields) {
      const value = wrapped ? json : json[field.key];
      const absent = (value ?? null) === null;
      if (!absent || (field.kind === 'json' && field.shape === 'one' && field.oneof === '')) {
        made[field.name] = shaped(field, value, (one) => this.written(field, one));
      }
    }
    return made;
  }

  /** @param {string} type @param {any} message @returns {any} */
  toJson(type, message) {
    const { wrapped, fields } = this.message(type);
    const json = fields.flatMap((field) => {
      const value = message[field.name];
      if ((value ?? null) === null) return field.nullable ? [[field.key, null]] : [];
      return [[field.key, shaped(field, value, (one) => this.read(field, one))]];
    });
    return wrapped ? (json[0]?.[1] ?? null) : Object.fromEntries(json);
  }

  /** @param {string} type @returns {Message} */
  message(type) {
    const found = this.schema.messages[type];
    if (found === undefined) throw new Failure('internal', `the service has no message ${type}`);
    return found;
  }

  /** @param {Field} field @param {any} value */
  written({ kind, type }, value) {
    switch (kind) {
      case 'int64':
      case 'uint64':
        return String(value);
      case 'float':
      case 'double':
        return Number(value);
      case 'bytes':
        return Buffer.from(value, 'base64');
      case 'enum':
        return this.schema.enumerations[type]?.find(([name]) => name === value)?.[1];
      case 'message':
        return this.fromJson(type, value);
      case 'json':
        return valueOf(value);
    }
    return value;
  }

  /** @param {Field} field @param {any} value */
  read({ kind, type }, value) {
    switch (kind) {
      case 'int64':
      case 'uint64':
        return Number.isSafeInteger(Number(value)) ? Number(value) : BigInt(value);
      case 'bytes':
        return value.toString('base64');
      case 'enum':
        return this.schema.enumerations[type]?.find(([, number]) => number === value)?.[0];
      case 'message':
        return this.toJson(type, value);
      case 'json':
        return jsonOf(value);
    }
    return value;
  }
}

/** @param {Field} field @param {any} value @param {(one: any) => any} to */
function shaped({ shape, of, key }, value, to) {
  if (shape === 'many') return value.map(to);
  if (shape !== 'map') return to(value);
  if (KEYS.includes(of)) return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, to(one)]));
  throw new Failure('cannot-carry', `protobufjs does not keep the keys of the map ${key}, which are ${of}`);
}

/** A google.protobuf.Value. @param {any} json @returns {any} */
function valueOf(json) {
  if ((json ?? null) === null) return { nullValue: 0 };
  if (Array.isArray(json)) return { listValue: { values: json.map(valueOf) } };
  switch (typeof json) {
    case 'boolean':
      return { boolValue: json };
    case 'string':
      return { stringValue: json };
    case 'object':
      return { structValue: { fields: Object.fromEntries(Object.entries(json).map(([k, v]) => [k, valueOf(v)])) } };
  }
  return { numberValue: Number(json) };
}

/** @param {any} value @returns {any} */
function jsonOf(value) {
  switch (value.kind) {
    case 'listValue':
      return value.listValue.values.map(jsonOf);
    case 'structValue':
      return Object.fromEntries(Object.entries(value.structValue.fields).map(([k, v]) => [k, jsonOf(v)]));
    case 'nullValue':
    case undefined:
      return null;
  }
  return value[value.kind];
}
