import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCsv } from '@lethe/losses/node';
import { milliseconds, short } from '../case.mjs';
import { timedAsync } from '../measure.mjs';

/** @typedef {import('../case.mjs').Case} Case */

const columns = 30;

/**
 * The text of a table of numbers between -10 and 10.
 * @param {number} rows
 * @param {(value: number) => string} write
 */
function tableText(rows, write) {
  let state = 1;
  const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  const lines = [Array.from({ length: columns }, (_, j) => `c${j}`).join(',')];
  for (let i = 0; i < rows; i++)
    lines.push(Array.from({ length: columns }, () => write(20 * next() - 10)).join(','));
  return `${lines.join('\n')}\n`;
}

/**
 * @param {string} name
 * @param {string} what
 * @param {number} rows
 * @param {(value: number) => string} write
 * @returns {Case}
 */
const csv = (name, what, rows, write) => ({
  name: `files/${name}`,
  what: `reading a CSV file of ${short(rows)} × ${columns} numbers of ${what}`,
  ...milliseconds,
  forms: ['loadtxt'],
  of: 'csv',
  size: { rows, columns },
  prepare() {
    const folder = mkdtempSync(join(tmpdir(), 'lethe-bench-'));
    const path = join(folder, 'table.csv');
    writeFileSync(path, tableText(rows, write));
    return {
      run: timedAsync(() => readCsv(path)),
      size: { path },
      dispose: () => rmSync(folder, { recursive: true }),
    };
  },
});

/** @type {readonly Case[]} */
export const files = [
  csv('csv-4-decimals', 'four decimals', 50_000, (value) => value.toFixed(4)),
  csv('csv-17-digits', 'up to 17 digits', 50_000, String),
];
