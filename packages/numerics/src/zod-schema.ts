import type * as z from 'zod';

/** A schema of zod 4, made with `zod` or with `zod/mini`. */
export interface ZodSchema<Output = unknown, Input = unknown> extends z.core.$ZodType<Output, Input> {
  /** The output for an input. @throws {z.core.$ZodError} for one that does not fit. */
  parse(input: unknown): Output;
  /** The same, or what does not fit. */
  safeParse(input: unknown): z.core.util.SafeParseResult<Output>;
}

/** The schemas of the fields of an object; `null` for another schema. */
export function fieldsOf({ _zod: { def } }: ZodSchema): Readonly<Record<string, ZodSchema>> | null {
  return def.type === 'object'
    ? ((def as z.core.$ZodObjectDef).shape as Readonly<Record<string, ZodSchema>>)
    : null;
}
