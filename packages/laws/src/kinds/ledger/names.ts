import { Corrupt, memoryStore } from '@lethe/core';
import type { Ledger } from '@lethe/curator';
import { fails, holds } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { equal, pureOf } from './model.js';
import { noise, rootOf } from './fixture.js';

/** Names that a careless key takes for one another, or for something else. */
const alike = [
  'run',
  'Run',
  'run ',
  ' run',
  'run\n',
  'r',
  'run/0',
  'run:0',
  '1',
  '01',
  '1.0',
  '10',
  'é',
  'e\u0301',
];
const special = ['__proto__', 'constructor', 'toString', 'null', 'undefined', '"', '\\', '🜁'];
const long = Array.from({ length: 12 }, (_, i) => `${'the same beginning of a long name, '.repeat(8)}${i}`);
const names: readonly string[] = [...alike, ...special, ...long];

/** What is wrong with the runs, of which every third has ended; run `i` was charged `i mod 7` times. */
function wrong(ledger: Ledger): string | undefined {
  if (ledger.runs().join('|') !== names.join('|'))
    return `its runs are ${JSON.stringify(ledger.runs())}; opened were ${JSON.stringify(names)}`;
  for (const [i, name] of names.entries()) {
    const shown = `of ${names.length} runs ${JSON.stringify(name)}`;
    for (const [what, event] of [
      ['spent', ledger.spentBy(name)],
      ['was charged', ledger.chargedBy(name)],
      ['counts with', ledger.standing(name).counts],
    ] as const) {
      const cost = pureOf(event);
      if (!equal(cost, i % 7)) return `${shown} ${what} ${cost}; it was charged ${i % 7}`;
    }
    const { ended, reserved, planned } = ledger.standing(name);
    if (ended !== (i % 3 === 0)) return `${shown} is ${ended ? 'ended' : 'open'}, and is not`;
    if (reserved !== null || planned !== null) return `${shown} has a reservation that nobody made`;
  }
  const total = names.reduce((sum, _, i) => sum + (i % 7), 0);
  return equal(pureOf(ledger.total()), total)
    ? undefined
    : `the total of ${names.length} runs is ${pureOf(ledger.total())}; charges come to ${total}`;
}

/** Runs are told apart by their whole names, however many there are. */
export const runNames = defineLaw<'ledger'>({
  id: 'ledger/names',
  kind: 'ledger',
  tier: 'exact',
  statement:
    'runs are told apart by every letter of their names: each has its own charges, end and standing, also ' +
    'when the ledger is opened again; the standing of an unknown run is Corrupt',
  power: `certain for ${names.length} names that differ in case, spaces, signs, form, or only at their end`,
  check({ open }) {
    const store = memoryStore();
    const first = open({ adjacency: 'zero-out', store });
    for (const [i, name] of names.entries()) {
      first.openRun(name, rootOf(name));
      for (let index = 0; index < i % 7; index++)
        first.append({
          run: name,
          index,
          digest: `${i}/${index}`,
          effect: { charge: { on: { space: 'all', from: 0, to: 8 }, event: noise(1) } },
        });
      if (i % 3 === 0) first.endRun(name);
    }
    for (const [when, ledger] of [
      ['', first],
      ['opened again, ', open({ adjacency: 'zero-out', store })],
    ] as const) {
      const what = wrong(ledger);
      if (what !== undefined) return fails(names.length, { what: `${when}${what}` });
      try {
        ledger.standing('a run that never was');
        return fails(names.length, { what: `${when}an unknown run has a standing; expected Corrupt` });
      } catch (error) {
        if (!(error instanceof Corrupt))
          return fails(names.length, { what: `${when}standing of an unknown run throws ${String(error)}` });
      }
    }
    return holds(names.length);
  },
});
