import { defined, normalCdf } from '@lethe/numerics';
import { type Adjacency, type Stream, type Vector } from '@lethe/core';
import { noiseDistribution } from '../../evidence/index.js';
import { fails, holds } from '../../law/finding.js';
import { defineLaw, type Cell } from '../../law/law.js';
import { multiplier, probesUnder, radius, readings, streamOf, type Probe } from './probes.js';
import { openFixture, type Fixture } from './fixture.js';
import type { Data } from '../../arbitraries/vectors.js';

const dimension = 500;
const slots = 4;
const steps = 8;

/** Records of norm one on the first axes, for a non-zero value under the noise. */
const rows: Data = Array.from({ length: slots }, (_, i) =>
  Array.from({ length: dimension }, (_other, j) => (i === j ? 1 : 0)),
);

/** Running sums of a stream with the noise of the prefix sum: here one fresh draw each. */
const runningSums = readings({
  name: 'stream, running sums',
  fixture: { loss: 'plain', allowUnprotected: true },
  under: ['replace-one', 'zero-out'],
  sensitivity: (adjacency) =>
    ((adjacency === 'replace-one' ? 2 : 1) * radius * Math.sqrt(steps) * steps) / slots,
  release(fixture, name) {
    const stream = fixture.ask<Stream>(
      streamOf(name, { steps, dimension, normaliser: slots, times: steps, by: 'prefixes' }),
    );
    const sum = new Float64Array(dimension);
    return Float64Array.from(
      Array.from({ length: steps }, () => {
        const increment = fixture.ask<Vector>({
          ask: 'push',
          stream,
          of: { terms: [{ weight: 1, at: new Float64Array(dimension) }] },
          batch: fixture.allRecords,
        });
        for (let j = 0; j < dimension; j++) sum[j] += increment[j];
        return [...sum];
      }).flat(),
    );
  },
});
const noisy = (adjacency: Adjacency): readonly Probe[] => [
  ...probesUnder(adjacency),
  ...(adjacency === 'add-remove' ? [] : [runningSums]),
];

/**
 * Every release under replace-one; one under other adjacencies,
 * since the path is equal and other laws check the scales exactly.
 */
const cells = (): readonly Cell[] =>
  (['replace-one', 'add-remove', 'zero-out'] as const).flatMap((adjacency) =>
    noisy(adjacency)
      .filter(({ name }, k) => adjacency === 'replace-one' || k === 0 || name.includes('Poisson'))
      .map(({ name }) => ({ name: `${name}, ${adjacency}`, adjacency, values: { probe: name } })),
  );

export const noise = defineLaw({
  id: 'curator/noise',
  kind: 'curator',
  tier: 'statistical',
  invariant: 'I-5',
  statement:
    "An answer is the exact value plus fresh noise with the mechanism's distribution at the charged " +
    'scale, on every entry, without post-processing that shrinks the noise.',
  power:
    'noise 10 % too small in 8 000 draws of a vector, 15 % in 3 000 of a number; ' +
    'another shape in as many; noise divided twice within 50',
  cells,
  check(subject, env) {
    const adjacency = defined(env.cell.adjacency);
    const probe = defined(noisy(adjacency).find(({ name }) => name === defined(env.cell.values)['probe']));
    const open = (randomness: string): Fixture =>
      openFixture(subject, {
        ...probe.fixture,
        rows,
        adjacency,
        labels: rows.map((row) => probe.label?.(defined(row)) ?? 0),
        randomness: env.random(randomness),
      });
    const exact = Array.from(probe.release(open('exact'), 'silent'));
    const scale = multiplier * probe.sensitivity(adjacency, slots);
    const law = noiseDistribution({ cdf: normalCdf });
    // A scalar takes one query per draw; other laws check its scale exactly.
    const draws = env.samples(exact.length > 2 ? 8000 : 3000);
    let fixture: Fixture | undefined;
    for (let k = 0; law.samples < draws; k++) {
      // Some releases need a new fixture; several successive ones test later releases too.
      if (k % 64 === 0) fixture = open(`coins ${k}`);
      const answer = probe.release(defined(fixture), 'gaussian');
      for (let j = 0; j < exact.length; j++) {
        const z = (answer[j] - exact[j]) / scale;
        if (!Number.isFinite(z))
          return fails(law.samples + 1, {
            what: `an entry of the answer to "${probe.name}" is ${answer[j]}`,
            input: { entry: j },
          });
        law.push(z);
        if (law.rejects(env.alpha)) {
          return fails(law.samples, {
            what:
              `answer − exact value of "${probe.name}" does not have the distribution of its mechanism ` +
              `at scale ${scale.toPrecision(6)}`,
            logE: law.peak,
            input: { entry: j, answer: answer[j], exact: exact[j], 'in units of the scale': z },
          });
        }
      }
    }
    return holds(law.samples);
  },
});
