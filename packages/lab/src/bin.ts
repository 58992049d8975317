#!/usr/bin/env node
import { main } from './cli/main.js';

const interrupt = new AbortController();
process.once('SIGINT', () => interrupt.abort());
process.once('SIGTERM', () => interrupt.abort());
// Whoever reads may stop reading: `lethe plugins | head -1` is no failure.
process.stdout.on('error', (problem: NodeJS.ErrnoException) => { if (problem.code !== 'EPIPE') throw problem; });
const { stdout, stderr } = process;
/** Waits while what was written has not gone out, so that it does not pile up. */
const drained = (): Promise<boolean> => new Promise((resolve) => {
  if (stdout.destroyed || !stdout.writableNeedDrain) { resolve(!stdout.destroyed); return; }
  const settle = (): void => {
    stdout.off('drain', settle).off('close', settle);
    resolve(!stdout.destroyed);
  };
  stdout.once('drain', settle).once('close', settle);
});
process.exitCode = await main(process.argv.slice(2), { out: (text) => stdout.write(text), error: (text) => stderr.write(text), drained }, interrupt.signal);
