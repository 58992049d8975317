import { InvalidData } from '@lethe/core';
import type { Table } from '@lethe/losses';
import { readTable } from '@lethe/losses/node';
import { nearestName } from '@lethe/numerics';
import type { FileReading } from './file-form.js';
import { headerOf } from './header.js';

/**
 * Reads records that a model is used on: what their columns hold is fixed in the model.
 *
 * @throws {InvalidData} that lists every column that the file lacks, and for a bad record.
 */
export async function modelRecords(path: string, reading: FileReading): Promise<Table> {
  const names = headerOf(path, reading, Object.keys(reading.columns));
  const lacking = names === null ? [] : Object.keys(reading.columns).filter((name) => !names.includes(name));
  if (names !== null && lacking.length > 0) {
    const lines = lacking.map((name) => {
      const meant = nearestName(name, names);
      return `${path} has no column '${name}'${meant === undefined ? '' : `; is '${meant}' it?`}`;
    });
    throw new InvalidData(`${lines.join('\n')}\nthe model needs it; give the columns it was trained on`, {
      columns: lacking,
    });
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
