import type { Adjacency, Batch, CoreEvent, Vector } from '@lethe/core';
import { defined } from '@lethe/numerics';
import type { Violation } from '../../../law/finding.js';
import { defineLaw } from '../../../law/law.js';
import type { Subject } from '../../../law/subject.js';
import { firstOf, outcomeOf, sameBits, unlessRefused } from '../outcomes.js';
import { openShuffleFixture, shuffledMean, split, target, underFixed } from './fixture.js';

export const shuffleHonestUsers = defineLaw<'curator'>({
  id: 'curator/shuffle-honest-users',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-1',
  statement:
    'The number of honest users of a batch is the guaranteed one, ' +
    'its size minus the number of all dishonest users, in the charge and in the ' +
    'protocol. A batch that may have no honest user is refused without a charge.',
  power:
    'another number, at every size and every number of honest users of eight slots, ' +
    'in parts and parts of parts',
  cells: underFixed,
  check: (subject, env) => firstOf(floors(subject, defined(env.cell.adjacency))),
});

function* floors(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  for (const bad of [0, -1, 9, 2.5, Number.NaN])
    yield unlessRefused(
      `a curator with ${bad} honest users of 8`,
      () => openShuffleFixture(subject, { adjacency, honestUsers: bad }).allRecords,
      ['invalid-parameter'],
    );
  for (let honestUsers = 1; honestUsers <= 8; honestUsers++)
    for (let size = 1; size <= 8; size++)
      for (const isNested of [false, true]) {
        const fixture = openShuffleFixture(subject, { adjacency, honestUsers });
        const trust = fixture.curator.facts.trust;
        yield trust?.model === 'shuffle' && trust.honestUsers === honestUsers
          ? undefined
          : { what: `with ${honestUsers} honest users the curator's facts are ${JSON.stringify(trust)}` };
        const [outer] = fixture.ask<readonly Batch[]>(
          split(fixture.allRecords, [isNested ? Math.min(8, size + 1) : size], 'shuffled'),
        ) as [Batch];
        const batch = isNested ? fixture.ask<readonly Batch[]>(split(outer, [size]))[0] : outer;
        const sure = size - (8 - honestUsers);
        const wanted = JSON.stringify({ dimension: 2, users: size, honestUsers: sure, target });
        if (sure < 1) {
          yield unlessRefused(
            `a mean over ${size} users of whom ${8 - honestUsers} may be dishonest`,
            () => fixture.ask(shuffledMean(batch)),
            ['unsupported', 'invalid-parameter'],
          );
          yield fixture.curator.spent().kind === 'core/free' && fixture.transcript.randomised.length === 0
            ? undefined
            : { what: 'a mean without honest users was charged, or called users' };
          continue;
        }
        const asked = outcomeOf(() => fixture.ask<Vector>(shuffledMean(batch)));
        if ('refused' in asked) {
          yield {
            what:
              `a mean over ${size} of 8 users, ` +
              `${honestUsers} of all honest, is refused: ${asked.message}`,
          };
          continue;
        }
        const { randomised } = fixture.transcript;
        const mean = [0, 1].map((j) => randomised.reduce((sum, { record }) => sum + record[j], 0) / size);
        yield sameBits(asked.value, mean)
          ? undefined
          : {
              what:
                `of ${size} users, ${honestUsers} of 8 honest, the answer is [${asked.value.join(', ')}]; ` +
                `their mean is [${mean.join(', ')}]`,
            };
        const found = [
          ...fixture.transcript.charged,
          ...fixture.transcript.randomised.map(({ context }) => context),
        ]
          .map((context) => JSON.stringify(context))
          .find((context) => context !== wanted);
        yield found === undefined
          ? undefined
          : {
              what:
                `a batch of ${size} of 8 users, ${honestUsers} of all honest, ` +
                `runs for ${found}; expected ${wanted}`,
              allowed: sure,
            };
        const event = fixture.curator.spent() as CoreEvent<'core/shuffled'>;
        yield event.kind === 'core/shuffled' && event.honestUsers === sure
          ? undefined
          : {
              what:
                `a batch of ${size} of 8 users, ${honestUsers} of all honest, ` +
                `is charged as ${JSON.stringify(event)}`,
              allowed: sure,
            };
      }
}
