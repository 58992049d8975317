import { main } from './cli/main.js';

const interrupt = new AbortController();
process.once('SIGINT', () => interrupt.abort());
process.once('SIGTERM', () => interrupt.abort());
const { stdout, stderr } = process;
// Whoever reads may stop reading: `lethe plugins | head -1` is no failure.
let isRead = true;
stdout.on('error', (problem: NodeJS.ErrnoException) => {
  if (problem.code !== 'EPIPE') throw problem;
  isRead = false;
});
/** Waits while what was written has not gone out, so that it does not pile up. */
const drained = (): Promise<boolean> => new Promise((resolve) => {
  const settle = (): void => {
    for (const event of ['drain', 'error']) stdout.off(event, settle);
    resolve(isRead);
  };
  if (isRead && stdout.writableNeedDrain) for (const event of ['drain', 'error']) stdout.once(event, settle);
  else settle();
});
process.exitCode = await main(process.argv.slice(2), { out: (text) => stdout.write(text), error: (text) => stderr.write(text), drained }, interrupt.signal);
