import type { ZodSchema } from './zod-schema.js';
import type * as z from 'zod';
import { explained } from './schema-issues.js';

/** Code of a Lethe error. */
export type ErrorCode =
  | 'invalid-parameter'
  | 'invalid-data'
  | 'unsupported'
  | 'budget-exceeded'
  | 'incompatible-plugins'
  | 'corrupt';

/**
 * Base class of Lethe's errors. The message names the value, the rule and the fix; `details` has the same as
 * plain data.
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

/** A parameter is outside its domain. `details.issues` has the schema's issues with their paths, if any. */
export class InvalidParameter extends LetheError {
  readonly code = 'invalid-parameter';
}

/**
 * Private data are malformed. Thrown only while the data owner attaches them, never by a curator's answers;
 * `details` names row, column and value if known.
 */
export class InvalidData extends LetheError {
  readonly code = 'invalid-data';
}

/** A valid request that is not supported: `details` has the request, the reason and an alternative. */
export class Unsupported extends LetheError {
  readonly code = 'unsupported';
}

/** A privacy limit would be exceeded. `details` has `spent`, `asked` and `limit`. Nothing was released. */
export class BudgetExceeded extends LetheError {
  readonly code = 'budget-exceeded';
}

/** Two plugins cannot be combined; `details` names both and the missing capability. */
export class IncompatiblePlugins extends LetheError {
  readonly code = 'incompatible-plugins';
}

/** Stored bytes were changed, or are not the newest version. */
export class Corrupt extends LetheError {
  readonly code = 'corrupt';
}

const classes = {
  'invalid-parameter': InvalidParameter,
  'invalid-data': InvalidData,
  unsupported: Unsupported,
  'budget-exceeded': BudgetExceeded,
  'incompatible-plugins': IncompatiblePlugins,
  corrupt: Corrupt,
} as const satisfies Readonly<Record<ErrorCode, unknown>>;

/** The same error of Lethe with a place before its message, such as a file; any other error as it is. */
export function errorAt(place: string, error: unknown): unknown {
  if (!(error instanceof LetheError) || error.message.startsWith(`${place}: `)) return error;
  const { message, details } = error;
  return new classes[error.code](`${place}: ${message}`, details, { cause: error });
}

/**
 * Parses `input` by `schema`; a failure becomes {@link InvalidParameter}.
 *
 * @param what - Name of the value, at the start of the message ("clip 'l2'").
 * @throws {InvalidParameter} with the path, rule and value of every issue.
 */
export function parseOrThrow<T extends ZodSchema>(schema: T, input: unknown, what: string): z.output<T> {
  const result = parsed(schema, input, what);
  if (result.success) return result.data;
  const issues = explained(result.error.issues, schema, input);
  const list = issues
    .map(({ path, message }) => `${path.length === 0 ? '' : `${path.join('.')}: `}${message}`)
    .join('; ');
  throw new InvalidParameter(`${what} is not valid: ${list}`, { what, issues });
}

/**
 * Checks that a function received its options object.
 *
 * @throws {InvalidParameter} when `options` is not an object.
 */
export function assertOptions(options: unknown, what: string): void {
  if (typeof options !== 'object' || options === null)
    throw new InvalidParameter(
      `${what} takes one object of options; got ${options === null ? 'null' : typeof options}`,
      { what },
    );
}

/** Recursive schemas overflow the stack on very deep nesting. */
function parsed<T extends ZodSchema>(
  schema: T,
  input: unknown,
  what: string,
): z.core.util.SafeParseResult<z.output<T>> {
  try {
    return schema.safeParse(input) as z.core.util.SafeParseResult<z.output<T>>;
  } catch (error) {
    if (error instanceof RangeError)
      throw new InvalidParameter(`${what} is nested too deeply; flatten it`, { what });
    throw error;
  }
}
