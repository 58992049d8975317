import { adjacencies, Corrupt, InvalidParameter, memoryStore } from '@lethe/core';
import type { Ledger } from '@lethe/curator';
import { fails, holds } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { rootOf } from './fixture.js';

type Outcome = 'accepted' | typeof Corrupt | typeof InvalidParameter;

/** Whether an act has another outcome than it must; what it has. */
function otherThan(expected: Outcome, act: () => unknown): string | undefined {
  try {
    act();
    return expected === 'accepted' ? undefined : `is accepted; expected ${expected.name}`;
  } catch (error) {
    return expected !== 'accepted' && error instanceof expected ? undefined : `is refused: ${String(error)}`;
  }
}

/** What ledger and runs are made with stays what it is. */
export const settings = defineLaw<'ledger'>({
  id: 'ledger/settings',
  kind: 'ledger',
  tier: 'exact',
  statement:
    'a ledger has the adjacency that it was opened with, and opens under no other; what a run uses stays ' +
    'in the version in which the run used it first, in later processes too, whatever other runs use',
  power: 'certain for the three adjacencies and two versions of two things in two runs',
  check({ open }) {
    let tried = 0;
    for (const adjacency of adjacencies) {
      const store = memoryStore();
      const first = open({ adjacency, store });
      const uses = (ledger: Ledger, run: string, what: string, mark: string): void =>
        ledger.openRun(run, rootOf(run)).uses(what, mark);
      uses(first, 'one', 'a plugin', 'version 1');
      uses(first, 'other', 'a plugin', 'version 2');
      for (const [when, reopen] of [
        ['', () => first],
        ['opened again, ', () => open({ adjacency, store })],
      ] as const) {
        const ledger = reopen();
        if (ledger.adjacency !== adjacency)
          return fails(tried, {
            what: `${when}a ledger kept under ${adjacency} says that it is under ${ledger.adjacency}`,
          });
        for (const [run, what, mark, expected] of [
          ['one', 'a plugin', 'version 1', 'accepted'],
          ['one', 'a plugin', 'version 2', Corrupt],
          ['other', 'a plugin', 'version 2', 'accepted'],
          ['other', 'a plugin', 'version 1', Corrupt],
          ['other', 'another plugin', 'version 1', 'accepted'],
        ] as const) {
          tried++;
          const wrong = otherThan(expected, () => uses(ledger, run, what, mark));
          if (wrong !== undefined)
            return fails(tried, { what: `${when}${what} in ${mark} for the run '${run}' ${wrong}` });
        }
      }
      for (const given of adjacencies.filter((other) => other !== adjacency)) {
        const wrong = otherThan(InvalidParameter, () => open({ adjacency: given, store }));
        if (wrong !== undefined)
          return fails(tried, { what: `a ledger kept under ${adjacency}, opened under ${given}, ${wrong}` });
      }
    }
    return holds(tried);
  },
});
