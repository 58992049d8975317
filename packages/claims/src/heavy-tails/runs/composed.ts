import { resolveEvent } from '@lethe/accountants';
import { sameEvent, type Adjacency, type Fact, type Optimizer, type Run } from '@lethe/core';
import { squaredDistance } from '@lethe/losses';
import { l2BallDomain } from '@lethe/mechanisms';
import { defineClaimCheck, type ClaimCheck, type Violation } from '@lethe/laws';
import fc from 'fast-check';
import { both } from '../../common/compare.js';
import { above, differs, first } from '../../common/judging.js';
import { norm } from '../../common/vectors.js';
import { curated, prepared } from '../curated.js';
import { listedAcSa, listedSgd, setOf } from './listings.js';
import { lengthsMoved } from './planned-runs.js';
import { played } from './played.js';
import type { RunsSubject } from './subject.js';

/** How a run is planned: plain data. */
interface Scene {
  readonly method: (typeof methods)[number];
  readonly rounds: number;
  readonly records: number;
  readonly columns: number;
  readonly adjacency: Extract<Adjacency, 'replace-one' | 'zero-out'>;
  readonly radius: number;
  readonly smoothness: number;
  readonly lipschitz: number;
  /** The clip norm over the Lipschitz constant; a share of the budget for a quantile. */
  readonly clip: { readonly times: number } | { readonly share: number };
  readonly noiseMultiplier: number | null;
  /**
   * How far the start is said to be from the minimiser of the population, over the diameter: the minimiser of
   * the records may be anywhere.
   */
  readonly near: number;
}

const methods = ['sgd', 'ac-sa'] as const;
const scenes = fc.record<Scene>({
  method: fc.constantFrom(...methods),
  rounds: fc.integer({ min: 1, max: 6 }),
  records: fc.integer({ min: 16, max: 40 }),
  columns: fc.constantFrom(1, 3),
  adjacency: fc.constantFrom('replace-one', 'zero-out'),
  radius: fc.constantFrom(0.4, 1, 5),
  smoothness: fc.constantFrom(0.1, 1.3, 11),
  lipschitz: fc.constantFrom(0.3, 1, 7),
  clip: fc.constantFrom({ times: 1 }, { times: 0.4 }, { share: 0.3 }, { share: 0.05 }),
  noiseMultiplier: fc.constantFrom(null, 0.8, 5),
  near: fc.constantFrom(1, 0.25),
});

const counts = 3;
const budget = { epsilon: 1, delta: 1e-5 };
const every = (value: number): Fact => ({ value, scope: 'every-record', provenance: 'declared' });

const clipNormOf = ({ clip, lipschitz }: Scene): number | object =>
  'times' in clip ? clip.times * lipschitz : { by: 'private-quantile', share: clip.share, counts };

const distanceOf = ({ near, radius }: Scene): number => near * 2 * radius;

function givenFor({ composedAcSa }: RunsSubject, scene: Scene) {
  const { method, rounds, noiseMultiplier, records, adjacency, smoothness, lipschitz } = scene;
  const startDistance: Fact = { value: distanceOf(scene), scope: 'population', provenance: 'declared' };
  return {
    optimizer: composedAcSa as Optimizer,
    params: {
      method,
      rounds,
      clipNorm: clipNormOf(scene),
      ...(noiseMultiplier === null ? {} : { noiseMultiplier }),
    },
    records,
    adjacency,
    loss: squaredDistance,
    facts: { smoothness: every(smoothness), lipschitz: every(lipschitz), startDistance },
    domain: l2BallDomain({ radius: scene.radius }),
    budget,
  };
}

const planOf = ({ plan }: Run) =>
  plan as Run['plan'] & {
    readonly noiseMultiplier: number;
    readonly utility: { readonly bound: number } | null;
  };

/** `Σ`, the size of the noise of a mean, as a formula. */
const errorOf = ({ columns, adjacency, records }: Scene, clipNorm: number, multiplier: number): number =>
  (Math.sqrt(columns) * lengthsMoved(adjacency) * clipNorm * multiplier) / records;

/** `η` of accelerated steps, and `1/h` of plain ones. */
function scaleOf(scene: Scene, error: number): number {
  const { method, rounds: T, smoothness } = scene;
  const distance = distanceOf(scene);
  return method === 'ac-sa'
    ? Math.max(2 * smoothness, (Math.sqrt((2 / 3) * T * (T + 1) * (T + 2)) * error) / distance)
    : Math.max(smoothness, (Math.sqrt(2 * T) * error) / distance);
}

/** The ledger, and the noise, of a run. */
function charged(subject: RunsSubject, scene: Scene): Violation | undefined {
  const { rounds, columns, records, adjacency, clip } = scene;
  const given = givenFor(subject, scene);
  const features = Array.from({ length: records }, (_, i) =>
    Array.from({ length: columns }, (_2, j) => ((((2 * i + j) * 7) % 11) - 5) / 4),
  );
  const { run, releases, event } = curated({}, { ...given, features });
  const { noiseMultiplier: multiplier } = planOf(run);
  const rho = resolveEvent(event, 'zcdp', { adjacency });
  const means = rounds / multiplier ** 2 / 2;
  const share = 'share' in clip ? clip.share : 0;
  const noise =
    'times' in clip
      ? releases.map(({ scale }, k) =>
          differs(
            `σ of release ${k}`,
            scale,
            errorOf({ ...scene, columns: 1 }, clip.times * scene.lipschitz, multiplier),
          ),
        )
      : [];
  return first(
    sameEvent(run.plan.event, event)
      ? undefined
      : { what: 'the ledger holds another event than the plan', measured: 0, allowed: 1 },
    differs('the number of releases', releases.length, rounds + ('share' in clip ? counts : 0)),
    differs('ρ', rho, means / (1 - share), 1e-9),
    ...noise,
  );
}

const pushes = [1.25, -0.25, -1.5, 0.25, 3, -2.5];

/** The points of a run against a transcription of the listing, with the set binding. */
function listed(subject: RunsSubject, scene: Scene): Violation | undefined {
  const { rounds, columns, radius, lipschitz, clip } = scene;
  if (!('times' in clip)) return undefined;
  const run = prepared({ ...givenFor(subject, scene), columns });
  const scale = scaleOf(scene, errorOf(scene, clip.times * lipschitz, planOf(run).noiseMultiplier));
  const gradientOf = (t: number): readonly number[] =>
    Array.from({ length: columns }, (_, j) => pushes[(t + 2 * j) % pushes.length] * radius * scale * (t + 1));
  const start = [0.45, -0.3, 0.2].slice(0, columns).map((entry) => entry * radius);
  const set = setOf('ball', radius);
  const { asked, output } = played(run, { start, records: scene.records }, (_, t) => gradientOf(t));
  const own =
    scene.method === 'ac-sa'
      ? listedAcSa({ start, set, gradientOf }, rounds, scale)
      : listedSgd(
          { start, set, gradientOf },
          Array.from({ length: rounds }, () => [1 / scale, 1] as const),
        );
  const apart = (a: ArrayLike<number>, b: readonly number[]): number =>
    norm(b.map((entry, j) => entry - a[j])) / radius;
  return first(
    differs('the number of gradients', asked.length, rounds),
    ...asked.map(({ at, batch }, t) =>
      first(
        above(`the distance of point ${t} from the listing`, apart(at, own.points[t]), 1e-9, 0),
        batch.id === 'everyone'
          ? undefined
          : { what: `round ${t} reads some records only`, measured: 0, allowed: 1 },
      ),
    ),
    above('the distance of the output from the listing', apart(output, own.output), 1e-9, 0),
  );
}

/** The mean risk on `β/2 (w − w*)²`, a line beyond `reach`, over noise of either sign in every round. */
function risked(subject: RunsSubject, scene: Scene): Violation | undefined {
  const { rounds, smoothness, radius, lipschitz } = scene;
  const whole: Scene = { ...scene, columns: 1, clip: { times: 1 } };
  const run = prepared({ ...givenFor(subject, whole), columns: 1 });
  const { noiseMultiplier, utility } = planOf(run);
  if (utility === null) return { what: 'a plan without a bound', measured: 0, allowed: 1 };
  const sigma = errorOf(whole, lipschitz, noiseMultiplier);
  const reach = Math.min(lipschitz / smoothness, 2 * radius);
  const least = radius;
  const slope = (w: number): number => smoothness * Math.max(-reach, Math.min(reach, w - least));
  const value = (w: number): number => {
    const away = Math.abs(w - least);
    return smoothness * (away <= reach ? away ** 2 / 2 : reach * (away - reach / 2));
  };
  let risk = 0;
  for (let code = 0; code < 2 ** rounds; code++) {
    const { output } = played(run, { start: [-radius], records: scene.records }, ([w], t) => [
      slope(w) + (Math.floor(code / 2 ** t) % 2 === 0 ? sigma : -sigma),
    ]);
    risk += value(output[0]) / 2 ** rounds;
  }
  return above('the exact risk', risk, utility.bound);
}

/** A long run nearly without noise, whose start term is nearly attained by plain steps. */
const far: Scene = {
  method: 'sgd',
  rounds: 100,
  records: 2 ** 40,
  columns: 1,
  adjacency: 'replace-one',
  radius: 1,
  smoothness: 1,
  lipschitz: 2 / 101,
  clip: { times: 1 },
  noiseMultiplier: 1,
  near: 1,
};

/** Shares of the bounds that exact risks reach: what makes bounds twice as large, or half, known. */
const leastShares = { sgd: 0.9, 'ac-sa': 0.9 } as const;

function attained(subject: RunsSubject, method: Scene['method']): Violation | undefined {
  const scene: Scene = {
    ...far,
    method,
    lipschitz: method === 'sgd' ? far.lipschitz : 16 / far.rounds ** 2,
  };
  const { rounds, radius, lipschitz } = scene;
  const run = prepared({ ...givenFor(subject, scene), columns: 1 });
  const bound = planOf(run).utility?.bound ?? Number.NaN;
  const { output } = played(run, { start: [-radius], records: scene.records }, ([w]) => [
    Math.max(-lipschitz, Math.min(lipschitz, w - radius)),
  ]);
  const away = Math.abs(output[0] - radius);
  const risk = away <= lipschitz ? away ** 2 / 2 : lipschitz * (away - lipschitz / 2);
  return first(
    above(`the risk of ${rounds} rounds from afar`, risk, bound),
    above(`the least share of the bound, ${method}`, leastShares[method], risk / bound),
  );
}

/** Row C93. */
export const composedRounds = (subject: RunsSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/composed-rounds',
    tier: 'search',
    statement:
      'A run is charged T Gaussians of the planned multiplier, and its counts their share of ρ; its points ' +
      'are those of the listings, with steps by the planned noise, and all records in every round; its ' +
      'exact empirical risk over noise of the planned variance is at most the planned bound, also where ' +
      'the minimiser of the records is farther than that of the population is said to be.',
    power:
      'A relative error of 1e-9 of ρ or σ, or of a point; bounds that are 10 % too small for the distance, ' +
      'or half as large.',
    run: (env) =>
      both(
        env.forAll(fc.constantFrom(...methods), (method) => attained(subject, method), {
          runs: 1,
          examples: [...methods],
        }),
        () =>
          env.forAll(
            scenes,
            (scene) => first(charged(subject, scene), listed(subject, scene), risked(subject, scene)),
            { runs: 25 },
          ),
      ),
  });
