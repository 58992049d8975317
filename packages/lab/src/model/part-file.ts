import { existsSync, rmSync } from 'node:fs';
import { canonicalJson, InvalidParameter } from '@lethe/core';
import { writeWhole } from '@lethe/node';
import type { ParsedSchema, TrainingPlan } from '@lethe/train';
import * as z from 'zod';
import { parseJson } from '../experiment/json-text.js';
import { readText } from '../experiment/read-text.js';

/** What is kept of a training while it runs, so that it can go on after an interrupt. */
export interface Part {
  readonly run: string;
  readonly plan: TrainingPlan;
  readonly schema: ParsedSchema;
}

/** The file beside the model that is there while a training is not done. */
const partPath = (model: string): string => `${model}.part`;

const partSchema = z.looseObject({
  run: z.string().min(1),
  plan: z.looseObject({}),
  schema: z.looseObject({}),
});

/**
 * The run to go on with; `undefined` for a new one.
 *
 * @throws {InvalidParameter} where a model or an interrupted training is in the way, or there is nothing to
 * resume.
 */
export function runToResume(
  model: string,
  { resume, again }: { readonly resume: boolean; readonly again: boolean },
): string | undefined {
  const path = partPath(model);
  const hasPart = existsSync(path);
  if (resume && !hasPart)
    throw new InvalidParameter(`there is no interrupted training of ${model}; leave --resume out`, { model });
  if (resume) return readPart(path).run;
  if (hasPart && !again)
    throw new InvalidParameter(
      `a training of ${model} was interrupted; go on with it by --resume, which charges nothing again, or ` +
        'start another by --again, charged anew',
      { model },
    );
  if (existsSync(model) && !again)
    throw new InvalidParameter(
      `${model} exists; choose another file with --out, or replace it with --again, charged anew`,
      { model },
    );
  return undefined;
}

function readPart(path: string): z.output<typeof partSchema> {
  const read = partSchema.safeParse(parseJson(readText(path), path));
  if (read.success) return read.data;
  throw new InvalidParameter(
    `${path} is damaged. What the training was charged stays in the ledger; start another with --again`,
    { path },
  );
}

/** @throws {InvalidParameter} for a training that differs from the one that was interrupted. */
export function assertSame(model: string, { plan, schema }: Part): void {
  const before = readPart(partPath(model));
  const now: Readonly<Record<string, unknown>> = { ...plan, schema };
  const then: Readonly<Record<string, unknown>> = { ...before.plan, schema: before.schema };
  const differs = Object.keys(now).filter((key) => canonicalJson(now[key]) !== canonicalJson(then[key]));
  if (differs.length > 0)
    throw new InvalidParameter(
      `the training of ${model} began with another ${differs.join(', another ')}; give the same ` +
        'arguments again, or start another with --again, charged anew',
      { differs },
    );
}

export const writePart = (model: string, part: Part): void =>
  writeWhole(partPath(model), `${JSON.stringify(part, null, 2)}\n`);
export const removePart = (model: string): void => rmSync(partPath(model), { force: true });
