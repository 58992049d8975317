import { parseArgs } from 'node:util';

export const usage = `npm run bench [-- [FILTER…] [options]]

  FILTER       only cases whose name contains one of these, such as kernels or epoch/dp-sgd
  --pairs N    readings of each side, interleaved (at least 5; default 9)
  --reading N  milliseconds of one reading (default 60)
  --warm-up N  milliseconds of our warm-up at least (default 1000)
  --once       each case once, without timing it: for cases that fail; writes no results
  --no-build   use the packages as they were last built
  --list       names of the cases
  --json       the results on standard output, in place of the table
`;

/** @param {readonly string[]} argv */
export function readOptions(argv) {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    allowNegative: true,
    options: {
      pairs: { type: 'string', default: '9' },
      reading: { type: 'string', default: '60' },
      'warm-up': { type: 'string', default: '1000' },
      build: { type: 'boolean', default: true },
      once: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const pairs = Number(values.pairs);
  const reading = Number(values.reading);
  if (!(Number.isInteger(pairs) && pairs >= 5))
    throw new Error(`--pairs ${values.pairs}: give a whole number, at least 5`);
  if (!(reading > 0 && reading <= 10_000))
    throw new Error(`--reading ${values.reading}: give milliseconds, up to 10000`);
  const warmUp = Number(values['warm-up']);
  if (!(warmUp > 0 && warmUp <= 60_000))
    throw new Error(`--warm-up ${values['warm-up']}: give milliseconds, up to 60000`);
  return { ...values, warmUp: warmUp * 1e6, pairs, nanoseconds: reading * 1e6, filters: positionals };
}
