import { seededRandom, type Adjacency, type Plugin, type Query } from '@lethe/core';
import type { ShuffleCuratorOptions } from '@lethe/curator';
import { defined } from '@lethe/numerics';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { copyOf } from './hostile.js';
import { firstOf, outcomeOf } from './outcomes.js';

import { openShuffleFixture, shuffledMean, underFixed } from './shuffle/fixture.js';
import { meanOf } from './probes.js';
import { underEach, type Fixture } from './fixture.js';

const at = new Float64Array(2);

export const options = defineLaw({
  id: 'curator/options',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-0',
  statement:
    'Options of a curator are read once: later values of accessors, and later writes to options or ' +
    'registry, change neither run, randomness, charges, plan nor answers.',
  power:
    'any of run, registry, randomness, plan, publicSlots and ' +
    'allowUnprotected that is read again, or stored by reference',
  cells: (subject) => (subject.trust === 'shuffle' ? underFixed() : underEach()),
  check: (subject, env) => firstOf(readAgain(subject, defined(env.cell.adjacency))),
});

function* readAgain(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const others: Partial<ShuffleCuratorOptions> = {
    run: 'another',
    random: seededRandom('another'),
    allowUnprotected: true,
    planned: { kind: 'core/free', v: 1 },
    ...(adjacency === 'add-remove' ? { publicSlots: 1 } : {}),
  };
  const repliesWith = (how: 'plain' | 'accessors' | 'written'): string => {
    let first: ShuffleCuratorOptions | undefined;
    const tampering: Subject<'curator'> = {
      ...subject,
      open(given) {
        first = { ...given, allowUnprotected: false, registry: [...given.registry] };
        if (how !== 'accessors') return subject.open(first);
        const made = {};
        for (const [name, value] of Object.entries(first)) {
          let readings = 0;
          Object.defineProperty(made, name, {
            enumerable: true,
            get: () => (readings++ > 0 && name in others ? others[name as keyof typeof others] : value),
          });
        }
        return subject.open(made as ShuffleCuratorOptions);
      },
    };
    const fixture: Fixture = openShuffleFixture(tampering, { adjacency });
    const { curator, ledger } = fixture;
    if (how === 'written') {
      Object.assign(defined(first), others);
      (defined(first).registry as Plugin[]).splice(0);
      (defined(first).registry as unknown[]).push([]);
    }
    const mean =
      subject.trust === 'shuffle'
        ? shuffledMean(fixture.allRecords)
        : meanOf(fixture.allRecords, 'gaussian', { at });
    const bare = { ...copyOf(mean), target: { unprotected: true } };
    const lines: unknown[] = [
      curator.facts.run,
      curator.facts.root,
      curator.allRecords.normaliser,
      ledger.runs(),
      curator.facts.reserved ?? null,
    ];
    for (const query of [mean, bare, mean]) {
      const outcome = outcomeOf(() => curator.answer(curator.recorded(), query as Query));
      lines.push(
        'value' in outcome
          ? [outcome.value.digest, Array.from(outcome.value.answer as Float64Array)]
          : outcome.refused,
      );
    }
    return JSON.stringify([...lines, curator.spent(), ledger.total()]);
  };
  const plain = repliesWith('plain');
  for (const [how, what] of [
    ['accessors', 'options with other values at the second reading'],
    ['written', 'options overwritten after the curator was made'],
  ] as const) {
    const found = repliesWith(how);
    yield found === plain
      ? undefined
      : { what: `${what} change what the curator does`, witness: `${found}; with plain options ${plain}` };
  }
}
