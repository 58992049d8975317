import { main } from './cli/main.js';
import { promptOn } from './cli/prompt.js';

const interrupt = new AbortController();
const codes = { SIGINT: 130, SIGTERM: 143 } as const;
const signals = Object.keys(codes) as (keyof typeof codes)[];
const end = (name: keyof typeof codes): void => process.exit(codes[name]);
/**
 * Without a listener a signal ends a process at once, however busy
 * it is; but it does nothing to the first process of a container.
 */
const idle = process.pid === 1 ? signals : [];
for (const name of idle) process.on(name, end);
/**
 * While a release holds its ledger, the first interrupt asks it to end after a query. The second, and any at
 * another time, such as during planning, ends the process.
 */
const hold = (): (() => void) => {
  const letGo = (): void => {
    for (const name of signals) process.off(name, ask);
    for (const name of idle) process.on(name, end);
  };
  const ask = (): void => {
    letGo();
    interrupt.abort();
  };
  for (const name of idle) process.off(name, end);
  for (const name of signals) process.on(name, ask);
  return letGo;
};
const { stdin, stdout, stderr, env } = process;
// Whoever reads may stop reading: `lethe plugins | head -1` is no failure.
let isRead = true;
stdout.on('error', (problem: NodeJS.ErrnoException) => {
  if (problem.code !== 'EPIPE') throw problem;
  isRead = false;
});
/** Waits while what was written has not gone out, so that it does not pile up. */
const drained = (): Promise<boolean> =>
  new Promise((resolve) => {
    const settle = (): void => {
      for (const event of ['drain', 'error']) stdout.off(event, settle);
      resolve(isRead);
    };
    if (isRead && stdout.writableNeedDrain)
      for (const event of ['drain', 'error']) stdout.once(event, settle);
    else settle();
  });
process.exitCode = await main(
  process.argv.slice(2),
  {
    out: (text) => stdout.write(text),
    error: (text) => stderr.write(text),
    drained,
    hold,
    prompt: stdin.isTTY && stderr.isTTY ? promptOn(stdin, stderr) : null,
    terminal: {
      ...(stdout.isTTY ? { width: stdout.columns } : {}),
      // https://no-color.org
      hasColours: stdout.isTTY && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb',
    },
  },
  interrupt.signal,
);
