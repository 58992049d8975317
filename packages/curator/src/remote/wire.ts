import type { Answered, Batch, CuratorFacts, PrivacyEvent } from '@lethe/core';
import {
  BudgetExceeded,
  Corrupt,
  IncompatiblePlugins,
  InvalidParameter,
  LetheError,
  Unsupported,
  type ErrorCode,
} from '@lethe/numerics';

/**
 * The part of a `MessagePort` that browsers, workers and Node's worker threads share. The listener is a
 * function of an event with `data`; it is typed `never` because no two platforms type it alike.
 */
export interface Port {
  /** Sends a message; the buffers in `transfer` are moved, not copied. */
  postMessage(message: unknown, transfer?: ArrayBuffer[]): void;
  /** Calls `listener` with every message that comes. */
  addEventListener(type: 'message', listener: never): void;
  /** Takes a listener away. */
  removeEventListener(type: 'message', listener: never): void;
  /** Ports that hold messages back until they are started have this. */
  start?(): void;
}

/** Calls `take` with every message. @returns a function that stops it. */
export function listen<M>(port: Port, take: (message: M) => void): () => void {
  const listener = (({ data }: { readonly data: M }): void => take(data)) as never;
  port.addEventListener('message', listener);
  port.start?.();
  return () => port.removeEventListener('message', listener);
}

/**
 * Requests to the other side. Queries are sent as their encoded bytes: a
 * snapshot of arrays that may change later, and certainly plain data.
 */
export type Asked =
  | { readonly to: 'meet' }
  | { readonly to: 'spend' }
  | { readonly to: 'answer'; readonly index: number; readonly query: Uint8Array }
  | { readonly to: 'replay'; readonly index: number; readonly query: Uint8Array; readonly digest: string };
/** {@link Asked} over a port, which carries many at a time. */
export type Call = { readonly call: number } & Asked;

export interface Introduction {
  readonly facts: CuratorFacts;
  readonly everyone: Batch;
}
export interface Failure {
  readonly code: ErrorCode | 'internal';
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}
export type Said = Introduction | PrivacyEvent | Answered | null;
/** What comes back: a value or a failure, and how many queries the ledger holds now. */
export type Reply = { readonly recorded: number } & ({ readonly said: Said } | { readonly failed: Failure });
export type Return = { readonly call: number } & Reply;

const rebuilt = {
  'invalid-parameter': InvalidParameter,
  unsupported: Unsupported,
  'budget-exceeded': BudgetExceeded,
  'incompatible-plugins': IncompatiblePlugins,
  corrupt: Corrupt,
} as const;
const isPublic = (code: string): code is keyof typeof rebuilt => Object.hasOwn(rebuilt, code);

/**
 * An error as it may cross. What Lethe throws about queries, parameters, limits and logs is public; anything
 * else may say something of the data and stays with their owner.
 */
export function failureOf(error: unknown): Failure {
  if (error instanceof LetheError && isPublic(error.code)) {
    return { code: error.code, message: error.message, details: asJson(error.details) };
  }
  return {
    code: 'internal',
    message: 'the curator failed for a reason that stays on its side; its owner finds it there',
    details: {},
  };
}

function asJson(details: Failure['details']): Failure['details'] {
  try {
    return JSON.parse(JSON.stringify(details)) as Failure['details'];
  } catch {
    return {};
  }
}

/** The error at the side that asked. */
export function errorOf({ code, message, details }: Failure): LetheError {
  return new (isPublic(code) ? rebuilt[code] : Unsupported)(message, details);
}
