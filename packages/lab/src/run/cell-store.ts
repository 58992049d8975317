import { createHash } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson, parseEvent, parseOrThrow, type EventKind, type PrivacyEvent } from '@lethe/core';
import { writeWhole } from '@lethe/node';
import * as z from 'zod';
import { parseJson } from '../experiment/json-text.js';
import type { TestScore } from '../experiment/results.js';
import { readText } from '../experiment/read-text.js';

/** What one run of an evaluation came to. */
export interface StoredCell {
  readonly event: PrivacyEvent;
  readonly excessRisk: number;
  readonly startExcess: number;
  /** Wall-clock seconds of the run. */
  readonly seconds: number;
  /** Norm of the clip, where the run found it privately. */
  readonly clipNorm?: number | undefined;
  /** On records held out. */
  readonly test?: TestScore | undefined;
}

/** Runs of evaluations that are done, each under a key of all that it depends on. */
export interface CellStore {
  get(inputs: unknown): StoredCell | undefined;
  put(inputs: unknown, cell: StoredCell): void;
}

/** JSON has no infinities. */
const number = z.union([z.number(), z.enum(['Infinity', '-Infinity', 'NaN'])]).transform(Number);
const test = z
  .object({
    loss: number,
    auc: z.number().optional(),
    accuracy: z.number().optional(),
    r2: number.optional(),
  })
  .optional();
const cell = z.object({
  event: z.unknown(),
  excessRisk: number,
  startExcess: number,
  seconds: number,
  clipNorm: z.number().optional(),
  test,
});
const shown = (value: unknown): unknown =>
  typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;

/** The name of a run: a digest of all that it depends on. */
export const cellKey = (inputs: unknown): string =>
  createHash('sha256').update(canonicalJson(inputs)).digest('hex').slice(0, 32);

/** A cell as text. */
export const cellText = (stored: StoredCell): string =>
  JSON.stringify(stored, (_, value: unknown) => shown(value));

/** @throws {InvalidParameter} for a text that is no cell. */
export function cellFrom(text: string, kinds: readonly EventKind[], where: string): StoredCell {
  const { event, ...numbers } = parseOrThrow(cell, parseJson(text, where), where);
  return { event: parseEvent(event, kinds), ...numbers };
}

/**
 * Cells as files of a folder. A cell is written whole when it is done, so that a run that is killed loses no
 * more than the cell it was at, and a damaged file is computed again.
 *
 * @param again - Finds none of the cells that are there, and replaces them.
 */
export function cellStore(folder: string, kinds: readonly EventKind[], again = false): CellStore {
  const pathOf = (inputs: unknown): string => join(folder, `${cellKey(inputs)}.json`);
  return {
    get(inputs) {
      const path = pathOf(inputs);
      if (again || !existsSync(path)) return undefined;
      try {
        return cellFrom(readText(path), kinds, path);
      } catch {
        return undefined;
      }
    },
    put(inputs, stored) {
      mkdirSync(folder, { recursive: true });
      writeWhole(pathOf(inputs), `${cellText(stored)}\n`);
    },
  };
}
