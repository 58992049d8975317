import {
  defineMechanism,
  gaussianEvent,
  InvalidParameter,
  type Mechanism,
  type RandomSource,
  seededRandom,
  Unsupported,
} from '@lethe/core';
import { randomFromKey, normalCdf } from '@lethe/numerics';
import { describe, expect, it, test } from 'vitest';
import * as z from 'zod';
import { type Finding, lawsFor, planChecks, runCheck, type Subject, subjectsOf } from '../../law/index.js';
import { mechanismLaws } from './index.js';
import { lawsAlone } from '../../../test/effort.js';
import { endAtFirstViolation } from '../../../test/first-violation.js';

endAtFirstViolation();

const params = z.strictObject({});
type Small = Omit<Mechanism<typeof params>, 'kind'>;

const assertScale = (scale: number): void => {
  if (!(scale > 0 && scale < Infinity)) throw new InvalidParameter(`no scale: ${scale}`, { scale });
};
const addGaussian = (value: Float64Array, scale: number, random: RandomSource): void => {
  assertScale(scale);
  random.gaussianInto(new Float64Array(value.length)).forEach((noise, j) => {
    value[j] += scale * noise;
  });
};
const source = { id: 'test', item: 'x' };
const claims = ['symmetric', 'zcdp'].map((property) => ({ property, statement: property }));

/** Gaussian noise for targets of ρ. */
const normal: Small = {
  name: 'normal',
  summary: 'x',
  source,
  params,
  claims,
  norm: 'l2',
  numerics: 'idealised',
  event: (_params, multiplier, relative) => gaussianEvent(multiplier, relative),
  multiplierFor(_params, target) {
    if (!('rho' in target)) {
      if (!(target.epsilon > 0 && target.delta >= 0 && target.delta < 1))
        throw new InvalidParameter('no target', {});
      throw new Unsupported('targets of ρ only', {});
    }
    if (!(target.rho > 0)) throw new InvalidParameter('no target', {});
    return (1 + 2 ** -50) / Math.sqrt(2 * target.rho);
  },
  addNoise: (_params, value, scale, random) => addGaussian(value, scale, random),
  standardDeviation: () => 1,
  cdf: (_params, x) => normalCdf(x),
};

/** Laplace noise, pure, with the least multiplier. */
const laplace: Small = {
  ...normal,
  name: 'laplace',
  norm: 'l1',
  claims: ['pure', 'least-multiplier'].map((property) => ({ property, statement: property })),
  event: (_params, multiplier, relative) => ({
    kind: 'core/laplace',
    v: 1,
    scale: multiplier,
    sensitivity: relative,
  }),
  multiplierFor(_params, target) {
    if ('rho' in target || target.delta > 0) {
      if ('rho' in target ? !(target.rho > 0) : !(target.epsilon > 0 && target.delta < 1))
        throw new InvalidParameter('no target', {});
      throw new Unsupported('pure targets only', {});
    }
    if (!(target.epsilon > 0 && target.delta === 0)) throw new InvalidParameter('no target', {});
    return (1 + 2 ** -50) / target.epsilon;
  },
  addNoise(_params, value, scale, random) {
    assertScale(scale);
    random.laplaceInto(new Float64Array(value.length)).forEach((noise, j) => {
      value[j] += scale * noise;
    });
  },
  standardDeviation: () => Math.SQRT2,
  cdf: (_params, x) => (x < 0 ? Math.exp(x) / 2 : 1 - Math.exp(-x) / 2),
};

/** Uniform integer noise within the scale, from exact integer randomness. */
const integers: Small = {
  ...laplace,
  name: 'integers',
  numerics: 'exact',
  claims: [{ property: 'lattice', statement: 'integers' }],
  addNoise(_params, value, scale, random) {
    assertScale(scale);
    const reach = Math.ceil(scale);
    if (!value.every(Number.isInteger)) throw new InvalidParameter('integers only', {});
    for (let j = 0; j < value.length; j++) value[j] += random.integer(2 * reach + 1) - reach;
  },
};

const subjectOf = (definition: Small, bug: Partial<Small> = {}): Subject<'mechanism'> =>
  subjectsOf(defineMechanism({ ...definition, ...bug }))[0] as Subject<'mechanism'>;

async function findings(
  subject: Subject<'mechanism'>,
  only?: readonly string[],
): Promise<readonly (readonly [string, Finding])[]> {
  const reports = [];
  for (const check of planChecks(mechanismLaws, subject, only === undefined ? {} : { only }))
    reports.push(await runCheck(check as never, lawsAlone(only)));
  return reports.map((report) => [`${report.law} ${report.cell}`, report.finding] as const);
}

describe.each([
  ['Gaussian', normal],
  ['Laplace', laplace],
] as const)('a correct mechanism with %s noise', (_name, definition) => {
  it('satisfies every law', async () => {
    for (const [law, finding] of await findings(subjectOf(definition)))
      expect([law, finding.verdict, finding]).not.toContain('fails');
  });
});

describe('mechanism laws', () => {
  test('are those of the kind, each with its id', () => {
    expect(lawsFor('mechanism')).toBe(mechanismLaws);
    expect(new Set(mechanismLaws.map(({ id }) => id)).size).toBe(mechanismLaws.length);
  });
});

const scaled = (factor: number): Partial<Small> => ({
  addNoise: (_params, value, scale, random) => addGaussian(value, factor * scale, random),
});
const drawn = (change: (noise: Float64Array, value: Float64Array) => void): Partial<Small> => ({
  addNoise(_params, value, scale, random) {
    const noise = new Float64Array(value.length);
    addGaussian(noise, scale, random);
    change(noise, value);
    noise.forEach((draw, j) => {
      value[j] += draw;
    });
  },
});

/** Law, definition, bug, and what the message must say. */
const planted: readonly (readonly [string, Small, Partial<Small>, RegExp])[] = [
  [
    'mechanism/cdf',
    normal,
    { cdf: (_params, x) => normalCdf(x) - 1e-9 },
    /must be (a probability|[01] there)/u,
  ],
  ['mechanism/cdf', normal, { cdf: (_params, x) => 1 - normalCdf(x) }, /falls from|must be/u],
  ['mechanism/cdf', integers, {}, /constant/u],
  [
    'mechanism/symmetric',
    normal,
    { cdf: (_params, x) => normalCdf(x + 1e-3) },
    /should be equal; they differ/u,
  ],
  [
    'mechanism/standard-deviation',
    normal,
    { standardDeviation: () => 2 },
    /declared to be 2, .* has (1|0\.99)/u,
  ],
  ['mechanism/standard-deviation', laplace, { standardDeviation: () => 1 }, /has 1\.414/u],
  ['mechanism/standard-deviation', laplace, { deviationBound: () => 1 }, /at most 1 at any scale/u],
  [
    'mechanism/event',
    normal,
    { event: (_params, multiplier, relative) => gaussianEvent(1.01 * multiplier, relative) },
    /event claims δ/u,
  ],
  ['mechanism/event', laplace, { norm: 'l2' }, /event claims δ/u],
  [
    'mechanism/event',
    normal,
    {
      event: (_params, multiplier) =>
        gaussianEvent(multiplier, { 'replace-one': 2, 'add-remove': 2, 'zero-out': 2 }),
    },
    /missing sensitivity means unsupported/u,
  ],
  [
    'mechanism/calibration',
    normal,
    {
      multiplierFor: (_params, target) => {
        if ('rho' in target) return 0.98 / Math.sqrt(2 * target.rho);
        throw new Unsupported('no', {});
      },
    },
    /Rényi divergence of order .* is at least/u,
  ],
  ['mechanism/calibration', normal, { multiplierFor: () => NaN }, /must be positive and finite/u],
  [
    'mechanism/pure',
    laplace,
    { multiplierFor: (_params, target) => ('epsilon' in target ? 0.999 / target.epsilon : 1) },
    /the target allows 0/u,
  ],
  [
    'mechanism/pure',
    laplace,
    {
      multiplierFor: () => {
        throw new Unsupported('no', {});
      },
    },
    /is refused/u,
  ],
  [
    'mechanism/zcdp',
    normal,
    { multiplierFor: (_params, target) => ('rho' in target ? 0.98 / Math.sqrt(2 * target.rho) : 1) },
    /Rényi divergence/u,
  ],
  [
    'mechanism/least-multiplier',
    laplace,
    { multiplierFor: (_params, target) => ('epsilon' in target ? 1.02 / target.epsilon : 1) },
    /said to be the least/u,
  ],
  [
    'mechanism/refusals',
    normal,
    { addNoise: (_params, value, _scale, random) => addGaussian(value, 1, random) },
    /should be refused/u,
  ],
  [
    'mechanism/refusals',
    normal,
    {
      addNoise: (_params, value, scale, random) => {
        value[0] += 1;
        addGaussian(value, scale, random);
      },
    },
    /after the value was changed/u,
  ],
  ['mechanism/refusals', normal, { multiplierFor: () => 1 }, /no multiplier meets/u],
  [
    'mechanism/refusals',
    normal,
    {
      multiplierFor: () => {
        throw new TypeError('x');
      },
    },
    /give one of the typed errors/u,
  ],
  [
    'mechanism/every-coordinate',
    normal,
    drawn((noise) => {
      noise[noise.length - 1] = 0;
    }),
    /keeps its value/u,
  ],
  [
    'mechanism/every-coordinate',
    normal,
    drawn((noise) => {
      noise.fill(0, 4096);
    }),
    /entry 4096 of 4097/u,
  ],
  [
    'mechanism/in-place',
    normal,
    {
      addNoise: (_params, value, scale, random) => addGaussian(new Float64Array(value.buffer), scale, random),
    },
    /beside it was changed/u,
  ],
  [
    'mechanism/fresh-coins',
    normal,
    { addNoise: (_params, value, scale) => addGaussian(value, scale, seededRandom('constant')) },
    /same noise in all/u,
  ],
  [
    'mechanism/fresh-coins',
    normal,
    {
      addNoise: (_params, value, scale, random) =>
        addGaussian(value, scale, randomFromKey(random.key(), 'seeded')),
    },
    /successive calls with one source/u,
  ],
  [
    'mechanism/duplicates',
    normal,
    drawn((noise) => noise.fill(noise[0])),
    /same noise in all of|come|again/u,
  ],
  [
    'mechanism/data-independence',
    normal,
    drawn((noise, value) =>
      value.forEach((x, j) => {
        if (x > 100) noise[j] *= 0.5;
      }),
    ),
    /on the zero vector and/u,
  ],
  [
    'mechanism/scale-equivariance',
    normal,
    { addNoise: (_params, value, scale, random) => addGaussian(value, Math.max(scale, 1e-3), random) },
    /at scale 1 and/u,
  ],
  ['mechanism/lattice', { ...normal, numerics: 'exact' }, {}, /no integer/u],
  [
    'mechanism/lattice',
    integers,
    {
      addNoise: (_params, value, scale, random) =>
        value.forEach((x, j) => {
          value[j] = x + Math.round(scale * random.laplaceInto(new Float64Array(1))[0]);
        }),
    },
    /laplaceInto/u,
  ],
  [
    'mechanism/lattice',
    integers,
    {
      addNoise: (_params, value, _scale, random) =>
        value.forEach((x, j) => {
          value[j] = x + random.integer(3);
        }),
    },
    /fraction is released/u,
  ],
  ['mechanism/noise-law', normal, scaled(0.9), /do not follow the declared distribution/u],
  ['mechanism/noise-law', normal, scaled(1.1), /do not follow the declared distribution/u],
  [
    'mechanism/noise-law',
    normal,
    drawn((noise) => {
      noise[noise.length - 1] *= 0.7;
    }),
    /do not follow/u,
  ],
  [
    'mechanism/independence',
    normal,
    drawn((noise) =>
      noise.forEach((draw, j) => {
        if (j % 2 === 1) noise[j] = Math.sign(noise[j - 1]) * Math.abs(draw);
      }),
    ),
    /not independent; .* alike/u,
  ],
  [
    'mechanism/independence',
    normal,
    drawn((noise) =>
      noise.forEach((draw, j) => {
        if (j > 0 && Math.abs(noise[0]) < 0.6745)
          noise[j] = Math.sign(draw) * Math.abs(noise[0]) * (1 + j / 100);
      }),
    ),
    /size/u,
  ],
  [
    'mechanism/no-atoms',
    normal,
    {
      addNoise: (_params, value, scale, random) => {
        if (random.integer(50) > 0) addGaussian(value, scale, random);
      },
    },
    /got no noise/u,
  ],
  [
    'mechanism/no-atoms',
    normal,
    drawn((noise) =>
      noise.forEach((draw, j) => {
        noise[j] = Math.min(draw, 2);
      }),
    ),
    /do not repeat/u,
  ],
  ['mechanism/divergence', normal, scaled(0.75), /two neighbours differ by more than is claimed/u],
];

describe('the law of a planted bug fails, with its message', () => {
  it.each(planted)('%s', async (law, definition, bug, message) => {
    const subject = subjectOf(definition, bug);
    const found = (
      await findings(
        {
          ...subject,
          claims: [...subject.claims, { property: law.slice('mechanism/'.length), statement: 'x' }],
        },
        [law],
      )
    ).map(([, finding]) => finding);
    const failed = found.find(({ verdict }) => verdict === 'fails');
    expect(failed).toMatchObject({ verdict: 'fails' });
    if (failed?.verdict === 'fails') expect(failed.violation.what).toMatch(message);
  });
});

it('takes noise of heavy tails with a finite variance', async () => {
  const student = (deviation: number): Small => ({
    ...laplace,
    standardDeviation: () => deviation,
    // Student's t with three degrees of freedom.
    cdf(_params, x) {
      if (Math.abs(x) === Infinity) return x > 0 ? 1 : 0;
      const t = x / Math.sqrt(3);
      return t < -1e3
        ? (2 * Math.sqrt(3)) / (Math.PI * -x * x * x)
        : 0.5 + (Math.atan(t) + t / (1 + t * t)) / Math.PI;
    },
  });
  const verdictOf = async (deviation: number): Promise<Finding['verdict']> => {
    const [subject] = subjectsOf(defineMechanism(student(deviation))) as readonly Subject<'mechanism'>[];
    const [planned] = planChecks(lawsFor('mechanism'), subject, { only: ['mechanism/standard-deviation'] });
    return (await runCheck(planned)).finding.verdict;
  };
  expect(await verdictOf(Math.sqrt(3))).toBe('holds');
  expect(await verdictOf(0.99 * Math.sqrt(3))).toBe('fails');
  expect(await verdictOf(1.01 * Math.sqrt(3))).toBe('fails');
});
