import { csvFormatRows } from 'd3-dsv';
import { InvalidParameter, LetheError } from '@lethe/core';
import type { Table } from '@lethe/losses';
import { readTable } from '@lethe/losses/node';
import { writeWhole } from '@lethe/node';
import { readingOf } from '@lethe/train';
import { fileForm, type FileForm } from '../model/file-form.js';
import { headerOf } from '../model/header.js';
import { modelRecords } from '../model/model-records.js';
import { readModel } from '../model/read-model.js';
import { nearestName } from '@lethe/numerics';
import type { Action } from './command.js';

export const predictRecords: Action = async (parsed, { out, error }) => {
  const [modelPath, data] = parsed.positionals;
  const model = readModel(modelPath);
  const { schema } = model.file;
  const keep = parsed.strings('keep');
  const form = fileForm(data, parsed.string('delimiter'));
  const reading = { ...readingOf(schema, false), ...form };
  assertThere(keep, headerOf(data, form, Object.keys(reading.columns)));
  const kept = Object.fromEntries(keep.map((name) => [name, reading.columns[name] ?? ('text' as const)]));
  const table = await modelRecords(data, { ...reading, columns: { ...reading.columns, ...kept } });
  const instants = await instantTexts(
    data,
    form,
    table,
    keep.filter((name) => kept[name] === 'time'),
  );
  const predictions = model.predict(table);
  const labels = model.labels(table);
  const { column } = schema.label;
  const isNumber = model.task === 'number' || model.task === 'count';
  const probabilities =
    model.task === 'binary' ? ['probability'] : model.classes.map((one) => `probability of ${one}`);
  const lines: string[][] = [[...keep, `predicted ${column}`, ...(isNumber ? [] : probabilities)]];
  const width = predictions.shape[1] ?? 1;
  for (let i = 0; i < table.rows; i++) {
    const own = keep.map((name) => instants.get(name)?.[i] ?? String(table.columns.get(name)?.[i] ?? ''));
    const numbers = Array.from({ length: width }, (_, k) =>
      shown(predictions.shape.length === 1 ? predictions.get(i) : predictions.get(i, k)),
    );
    lines.push([...own, ...(isNumber ? numbers : [String(labels[i]), ...numbers])]);
  }
  const text = `${csvFormatRows(lines)}\n`;
  const path = parsed.string('out');
  if (path === undefined) out(text);
  else {
    writeWhole(path, text);
    error(`Wrote ${path}: ${table.rows} predictions\n`);
  }
  return 0;
};

const shown = (value: number): string => String(Number(value.toPrecision(6)));

/** Columns of instants as the file writes them, or as ISO 8601 where it holds them as numbers. */
async function instantTexts(
  path: string,
  form: FileForm,
  table: Table,
  names: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (names.length === 0) return new Map();
  const columns = Object.fromEntries(names.map((name) => [name, 'text' as const]));
  const fill = Object.fromEntries(names.map((name) => [name, '']));
  const read = await readTable(path, { columns, fill, ...form }).catch((error: unknown) => {
    if (error instanceof LetheError) return null;
    throw error;
  });
  const isoOf = (time: unknown): string => new Date(Number(time)).toISOString();
  return new Map(
    names.map((name) => {
      const texts = read?.columns.get(name);
      return [
        name,
        texts === undefined ? Array.from(table.columns.get(name) ?? [], isoOf) : Array.from(texts, String),
      ];
    }),
  );
}

/** @throws {InvalidParameter} that lists every column that is not there. */
function assertThere(keep: readonly string[], names: readonly string[] | null): void {
  const stray = names === null ? [] : keep.filter((name) => !names.includes(name));
  if (stray.length === 0 || names === null) return;
  const lines = stray.map((name) => {
    const meant = nearestName(name, names);
    return `--keep ${name}: there is no such column${meant === undefined ? '' : `; is '${meant}' meant?`}`;
  });
  throw new InvalidParameter(lines.join('\n'), { columns: stray });
}
