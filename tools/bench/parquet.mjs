/* oxlint-disable no-console -- prints its results */
/**
 * `node tools/bench/parquet.mjs [ROWS COLUMNS [READINGS]]`, after a build: how long a Parquet file of random
 * numbers takes to be read, with DuckDB (`@duckdb/node-api`) and without, and how long DuckDB alone takes for
 * less: to give its vectors without a copy, and to decode every number and add it up, with two threads and
 * with one. Prints the least and the median of READINGS by turns.
 */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { readParquet } from '@lethe/losses/node';
import { readParquet as readAbove } from '../../packages/losses/dist/node/parquet.js';
import { spreadOf } from './measure.mjs';

const [rows = 1e6, columns = 30, readings = 7] = process.argv.slice(2).map(Number);
const names = Array.from({ length: columns }, (_, j) => `c${j}`);
const folder = mkdtempSync(join(tmpdir(), 'lethe-bench-'));
const path = join(folder, 'numbers.parquet');
let state = 1;
const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
writeFileSync(
  path,
  new Uint8Array(
    parquetWriteBuffer({
      columnData: names.map((name) => ({
        name,
        type: 'DOUBLE',
        data: Float64Array.from({ length: rows }, () => 20 * next() - 10),
      })),
    }),
  ),
);
console.log(`${rows} × ${columns} numbers, ${(statSync(path).size / 1e6).toFixed(0)} MB`);

/** @param {string} select @param {number} threads */
async function duck(select, threads) {
  const instance = await DuckDBInstance.create(':memory:', { threads: String(threads) });
  const connection = await instance.connect();
  const result = await connection.stream(`SELECT ${select} FROM read_parquet('${path}')`);
  for (let chunk = await result.fetchChunk(); chunk !== null && chunk.rowCount > 0;) {
    for (let k = 0; k < chunk.columnCount; k++) chunk.getColumnVector(k);
    chunk = await result.fetchChunk();
  }
  connection.closeSync();
  instance.closeSync();
}
const sums = names.map((name) => `sum(${name})`).join(', ');
/** @type {Record<string, () => Promise<unknown>>} */
const ways = {
  'a table, by DuckDB': () => readParquet(path),
  'a table, without': () => readAbove(path, undefined, Infinity),
  'vectors of DuckDB': () => duck(names.join(', '), 2),
  'sums by DuckDB, two threads': () => duck(sums, 2),
  'sums by DuckDB, one thread': () => duck(sums, 1),
};
/** @type {Map<string, number[]>} */
const seconds = new Map(Object.keys(ways).map((name) => [name, []]));
for (let k = 0; k < readings; k++)
  for (const [name, way] of Object.entries(ways)) {
    const start = performance.now();
    await way();
    seconds.get(name)?.push((performance.now() - start) / 1e3);
  }
for (const [name, values] of seconds) {
  const { least, median } = spreadOf(values);
  console.log(`${name}: ${least.toFixed(2)} s at least, ${median.toFixed(2)} s in the median`);
}
rmSync(folder, { recursive: true });
