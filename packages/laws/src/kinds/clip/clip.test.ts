import { defineClip, InvalidParameter, type Clip, type Moment, type Vector } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { subjectsOf } from '../../law/make-subject.js';
import { runLaws } from '../../law/run.js';
import type { Subject } from '../../law/subject.js';
import { clipLaws } from './index.js';
import { lawsAlone } from '../../../test/effort.js';
import { endAtFirstViolation } from '../../../test/first-violation.js';

endAtFirstViolation();

const params = z.strictObject({ radius: z.number().positive() });
type Changes = Partial<Omit<Clip<typeof params>, 'kind'>>;

/** ‖z‖₂ without overflow, as simply as can be. */
const normOf = (vector: Vector): number => Math.hypot(...vector);

function project(vector: Vector, radius: number): void {
  if (!vector.every(Number.isFinite)) {
    vector.fill(0);
    return;
  }
  const largest = Math.max(...vector.map(Math.abs));
  if (!(largest > 0)) return;
  const ratio = normOf(vector.map((x) => x / largest));
  const factor = radius / largest / ratio;
  if (factor < 1)
    for (let j = 0; j < vector.length; j++) vector[j] = (vector[j] / largest) * (radius / ratio);
}

function bias(radius: number, { order, value }: Moment): number {
  if (!(order >= 2 && order < Infinity) || !(value >= 0 && value < Infinity))
    throw new InvalidParameter(`a moment of order ${order} and value ${value} was given`, {});
  const root = value ** (1 / order);
  const turn = (order * radius) / (order - 1);
  return root >= turn ? root - radius + 1e-12 * root : (turn - radius) * (root / turn) ** order * (1 + 1e-12);
}

/** A small, correct projection; the bugs below change one part each. */
function subject(changes: Changes = {}): Subject<'clip'> {
  const claims = [
    'bounded-norm',
    'radius-attained',
    'idempotent',
    'non-expansive',
    'scale-equivariant',
    'bias-bound',
    'bias-bound-attained',
    'variance-bound',
    'variance-bound-attained',
  ];
  return subjectsOf(
    defineClip({
      name: 'small',
      summary: 'A projection.',
      source: { id: 'lethe', item: 'test' },
      params,
      examples: [{ radius: 2 }],
      claims: claims.map((property) => ({ property, statement: property })),
      norm: 'l2',
      isProjection: true,
      radius: ({ radius }) => radius,
      factor: ({ radius }, norm) => (norm <= radius ? 1 : radius / norm),
      clipInPlace: ({ radius }, vector) => project(vector, radius),
      biasBound: ({ radius }, moment) => bias(radius, moment),
      varianceBound: ({ radius }, moment) => {
        bias(radius, moment);
        return Math.min(radius, moment.value ** (1 / moment.order)) ** 2 * (1 + 1e-12);
      },
      ...changes,
    }),
  )[0] as Subject<'clip'>;
}

async function failuresOf(changes: Changes, only?: readonly string[]): Promise<Record<string, string>> {
  const reports = await runLaws(clipLaws, subject(changes), lawsAlone(only));
  return Object.fromEntries(
    reports.flatMap(({ law, finding }) =>
      finding.verdict === 'fails' ? [[law, finding.violation.what]] : [],
    ),
  );
}

const each = (vector: Vector, of: (x: number, j: number) => number): void => {
  for (let j = 0; j < vector.length; j++) vector[j] = of(vector[j], j);
};
let calls = 0;

/** Clips every coordinate to the radius, for a bound in ℓ∞. */
const cube: Changes = {
  norm: 'linf',
  isProjection: false,
  factor: null,
  clipInPlace: ({ radius }, vector) => {
    if (vector.every(Number.isFinite)) each(vector, (x) => Math.max(-radius, Math.min(radius, x)));
    else vector.fill(0);
  },
};
/** z · radius / (‖z‖ + 1): short vectors become longer. */
const grow: Changes = {
  isProjection: false,
  factor: ({ radius }, norm) => radius / (norm + 1),
  clipInPlace: ({ radius }, vector) => {
    const by = radius / (normOf(vector) + 1);
    if (vector.every(Number.isFinite)) each(vector, (x) => x * by);
    else vector.fill(0);
  },
};

const bugs: readonly (readonly [law: string, message: RegExp, changes: Changes])[] = [
  ['clip/radius', /radius is Infinity/, { radius: () => Infinity }],
  [
    'clip/bounded-norm',
    /norm .*; the declared radius is 2/,
    { clipInPlace: ({ radius }, vector) => project(vector, 1.0001 * radius) },
  ],
  [
    'clip/bounded-norm',
    /not finite/,
    {
      clipInPlace: ({ radius }, vector) => {
        const by = Math.min(1, radius / normOf(vector));
        each(vector, (x) => x * by * (normOf(vector) > 1e100 ? NaN : 1));
      },
    },
  ],
  ['clip/radius-attained', /times the noise it needs/, { radius: ({ radius }) => 1.05 * radius }],
  [
    'clip/non-finite-to-zero',
    /must become zero/,
    {
      clipInPlace: ({ radius }, vector) => {
        each(vector, (x) => (Number.isNaN(x) ? 0 : Math.max(-1e6, Math.min(1e6, x))));
        project(vector, radius);
      },
    },
  ],
  [
    'clip/in-place',
    /beside the vector/,
    {
      clipInPlace: ({ radius }, vector) => {
        project(vector, radius);
        new Float64Array(vector.buffer).fill(0, -1);
      },
    },
  ],
  [
    'clip/memoryless',
    /remembers records/,
    { clipInPlace: ({ radius }, vector) => project(vector, ++calls > 1_500 ? radius / 2 : radius) },
  ],
  [
    'clip/factor',
    /the factor .* would make it/,
    {
      clipInPlace: ({ radius }, vector) => {
        project(vector, radius);
        each(vector, (x) => (Math.abs(x) < 1e-3 ? 0 : x));
      },
    },
  ],
  ['clip/factor', /leaves a vector of norm/, { isProjection: false, factor: () => 1 }],
  [
    'clip/projection',
    /that of the projection is/,
    {
      factor: ({ radius }, norm) => radius / (radius + norm),
      clipInPlace: ({ radius }, vector) => {
        const by = radius / (radius + normOf(vector));
        each(vector, (x) => x * by);
      },
    },
  ],
  ['clip/projection', /factor is null/, { factor: null }],
  [
    'clip/leaves-inside-alone',
    /inside the ball/,
    {
      clipInPlace: ({ radius }, vector) => {
        project(vector, radius);
        each(vector, Math.fround);
      },
    },
  ],
  [
    'clip/idempotent',
    /second time/,
    {
      clipInPlace: ({ radius }, vector) => {
        project(vector, radius);
        each(vector, (x) => 0.9 * x);
      },
    },
  ],
  [
    'clip/non-expansive',
    /apart once clipped/,
    {
      clipInPlace: ({ radius }, vector) => {
        if (normOf(vector) > radius) vector.fill(0);
      },
    },
  ],
  [
    'clip/scale-equivariant',
    /new unit|scaled by/,
    {
      varianceBound: ({ radius }, moment) => {
        bias(radius, moment);
        return Math.min(radius ** 2, moment.value ** (2 / moment.order)) + 0.01;
      },
    },
  ],
  ['clip/on-grid', /steps of the declared spacing/, { spacing: () => 2 ** -8 }],
  ['clip/scaled', /the radius is/, { scaled: ({ radius }) => ({ radius }) }],
  [
    'clip/bias-bound',
    /biasBound says at most/,
    { biasBound: ({ radius }, moment) => 0.99 * bias(radius, moment) },
  ],
  [
    'clip/bias-bound-attained',
    /claimed to be attained/,
    { biasBound: ({ radius }, moment) => 1.03 * bias(radius, moment) },
  ],
  [
    'clip/variance-bound',
    /varianceBound says at most/,
    {
      varianceBound: ({ radius }, moment) => {
        bias(radius, moment);
        return Math.min(radius ** 2, moment.value / 2);
      },
    },
  ],
  [
    'clip/variance-bound',
    /in ℓ∞ is .*varianceBound says at most/,
    {
      ...cube,
      varianceBound: ({ radius }, moment) => {
        bias(radius, moment);
        return 3 * Math.min(radius, moment.value ** (1 / moment.order)) ** 2;
      },
    },
  ],
  [
    'clip/bias-bound',
    /biasBound says at most/,
    {
      ...grow,
      biasBound: ({ radius }, moment) => {
        bias(radius, moment);
        const s = moment.value ** (1 / moment.order);
        return (s * Math.abs(s + 1 - radius)) / (s + 1) + 0.05 * radius;
      },
    },
  ],
  [
    'clip/variance-bound-attained',
    /claimed to be attained/,
    {
      varianceBound: ({ radius }, moment) => {
        bias(radius, moment);
        return moment.value ** (2 / moment.order) * (1 + 1e-12);
      },
    },
  ],
  [
    'clip/moments-checked',
    /must refuse/,
    { biasBound: ({ radius }, { order, value }) => bias(radius, { order: Math.max(2, order), value }) },
  ],
];

describe('laws of clips', () => {
  it('hold for a correct projection', async () => {
    expect(await failuresOf({})).toEqual({});
  });

  it.each(bugs)('%s says %s', async (law, message, changes) => {
    calls = 0;
    expect((await failuresOf(changes, [law]))[law]).toMatch(message);
  });

  it('hold for a clip in ℓ∞, where the variance is up to four times the mean square', async () => {
    const changes: Changes = {
      ...cube,
      varianceBound: ({ radius }, moment) => {
        bias(radius, moment);
        return 4 * Math.min(radius, moment.value ** (1 / moment.order)) ** 2 * (1 + 1e-12);
      },
    };
    expect(await failuresOf(changes)).toEqual({});
  });

  it('each have a planted bug', () => {
    expect(clipLaws.map(({ id }) => id).filter((id) => !bugs.some(([law]) => law === id))).toEqual([]);
  });

  it('use the declared length of a clip, and fail for an undeclared one', async () => {
    const clipInPlace: Changes['clipInPlace'] = ({ radius }, vector) => {
      if (vector.length !== 4)
        throw new InvalidParameter(`a vector of length ${vector.length} was given; blocks make 4`, {});
      project(vector, radius);
    };
    expect(await failuresOf({ clipInPlace, vectorLength: () => 4 })).toEqual({});
    expect(await failuresOf({ clipInPlace })).not.toEqual({});
  });
});
