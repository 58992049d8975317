import type { z } from 'zod';
import { explained } from './schema-issues.js';

/** What every error of Lethe carries: a closed code and plain data that a program can read. */
export type ErrorCode =
  | 'invalid-parameter'
  | 'invalid-data'
  | 'unsupported'
  | 'budget-exceeded'
  | 'incompatible-plugins'
  | 'corrupt';

/**
 * Base of every error that Lethe throws on purpose. The message says what was given, what is allowed and what to do;
 * `details` holds the same as plain data.
 */
export abstract class LetheError extends Error {
  abstract readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(message: string, details: Readonly<Record<string, unknown>> = {}, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.details = details;
  }
}

/** A parameter is outside its domain. `details.issues` keeps the schema's issue paths where there are any. */
export class InvalidParameter extends LetheError {
  readonly code = 'invalid-parameter';
}

/**
 * Private data are malformed. Thrown only while the data owner attaches them, never once a curator answers;
 * `details` names row, column and value where they are known.
 */
export class InvalidData extends LetheError {
  readonly code = 'invalid-data';
}

/** Something is meaningful but not available: `details` says what, why, and what would work. */
export class Unsupported extends LetheError {
  readonly code = 'unsupported';
}

/** A privacy limit would be passed. `details` has `spent`, `asked` and `limit`. Nothing was released. */
export class BudgetExceeded extends LetheError {
  readonly code = 'budget-exceeded';
}

/** Two plugins do not fit together; `details` names both and the missing capability. */
export class IncompatiblePlugins extends LetheError {
  readonly code = 'incompatible-plugins';
}

/** Stored bytes are not what was written, or not the newest of what was written. */
export class Corrupt extends LetheError {
  readonly code = 'corrupt';
}

/**
 * Parses `input` by `schema`, turning a failure into {@link InvalidParameter}.
 *
 * @param what - Names the thing being parsed, as the first words of the message ("clip 'l2'").
 * @throws {InvalidParameter} with every issue's path, rule and received value.
 */
export function parseOrThrow<T extends z.ZodType>(schema: T, input: unknown, what: string): z.output<T> {
  const result = parsed(schema, input, what);
  if (result.success) return result.data;
  const issues = explained(result.error.issues, schema, input);
  const list = issues.map(({ path, message }) => `${path.length === 0 ? '(whole value)' : path.join('.')}: ${message}`).join('; ');
  throw new InvalidParameter(`${what} is not valid: ${list}`, { what, issues });
}

/**
 * Refuses a call without its options, which would otherwise fail on the first of them.
 *
 * @throws {InvalidParameter} when `options` is not an object.
 */
export function assertOptions(options: unknown, what: string): void {
  if (typeof options !== 'object' || options === null) throw new InvalidParameter(`${what} takes one object of options; got ${options === null ? 'null' : typeof options}`, { what });
}

/** Schemas that recurse run out of stack on hostile nesting. */
function parsed<T extends z.ZodType>(schema: T, input: unknown, what: string): z.ZodSafeParseResult<z.output<T>> {
  try {
    return schema.safeParse(input);
  } catch (error) {
    if (error instanceof RangeError) throw new InvalidParameter(`${what} is nested too deeply; flatten it`, { what });
    throw error;
  }
}
