import { InvalidData } from '@lethe/core';
import type { Table } from '@lethe/losses';
import { readTable } from '@lethe/losses/node';
import { nearestName } from '@lethe/numerics';
import type { FileReading } from './file-form.js';
import { headerOf } from './header.js';

/**
 * Reads records that a model is used on: what their columns hold is fixed in the model.
 *
 * @param label - Column of what is predicted, where predictions are compared with it.
 * @throws {InvalidData} that lists every column that the file lacks, and for a bad record.
 */
export async function modelRecords(path: string, reading: FileReading, label?: string): Promise<Table> {
  const names = headerOf(path, reading, Object.keys(reading.columns));
  const lacking = names === null ? [] : Object.keys(reading.columns).filter((name) => !names.includes(name));
  if (names !== null && lacking.length > 0) {
    const lines = lacking.map((name) => {
      const meant = nearestName(name, names);
      const what = name === label ? ', which holds what is predicted' : '';
      return `${path} has no column '${name}'${what}${meant === undefined ? '' : `; is '${meant}' it?`}`;
    });
    const advice = lacking.every((name) => name === label)
      ? 'an evaluation compares predictions with it: give records with it, or use lethe predict'
      : 'the model was trained on columns of these names; give them';
    throw new InvalidData(`${lines.join('\n')}\n${advice}`, { columns: lacking });
  }
  return readTable(path, reading).catch((error: unknown) => {
    throw adviseForModel(error, path);
  });
}

/** Reads records; errors name the file. @throws {InvalidData} for a bad record. */
export const recordsOfFile = (path: string, reading: FileReading): Promise<Table> =>
  readTable(path, reading).catch((error: unknown) => {
    throw error instanceof InvalidData ? named(error, path, error.message) : error;
  });

/** The error with advice that fits: to declare a column otherwise is nothing that a model allows. */
export function adviseForModel(error: unknown, path: string): unknown {
  if (!(error instanceof InvalidData)) return error;
  const { advice } = error.details;
  if (typeof advice !== 'string') return named(error, path, error.message);
  const problem = error.message.slice(0, -advice.length);
  return named(
    error,
    path,
    `${problem}correct the record, because what the columns hold is fixed in the model`,
  );
}

const named = (cause: InvalidData, path: string, message: string): InvalidData =>
  new InvalidData(`${path}: ${message}`, cause.details, { cause });
