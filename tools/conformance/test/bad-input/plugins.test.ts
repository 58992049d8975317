import { accountants, gdp, rdp } from '@lethe/accountants';
import { optimizers } from '@lethe/algorithms';
import {
  describePlugin,
  meanShape,
  parseOrThrow,
  resolvePlugin,
  seededRandom,
  type Clip,
  type DomainPlugin,
  type Json,
  type LowerBound,
  type Mechanism,
  type Mean,
  type Optimizer,
  type Plugin,
  type PrefixSum,
  type Problem,
  type Ref,
  type Registry,
  type Sampler,
  type Sketch,
  type Solver,
} from '@lethe/core';
import { losses, squared } from '@lethe/losses';
import { lowerBounds } from '@lethe/lower-bounds';
import { l2BallDomain, mechanisms } from '@lethe/mechanisms';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rememberingCalibrator } from '../calibrating.js';
import { expectRefused, placesOf, spoilt, strange, strangeNumbers, typedOutcome } from './refused.js';

const registry: Registry = [...mechanisms, ...losses, ...optimizers, ...accountants, ...lowerBounds];
const isFull = process.env['LETHE_EFFORT'] === 'full';
/** By day one number of each sort: none, infinite, negative, zero, usual, nearly zero, and large. */
const oneOfEachSort = isFull ? strangeNumbers : [Number.NaN, Infinity, -1, 0, 1.5, 5e-324, 1e300];
type Schema = Readonly<Record<string, unknown>>;

/** A value that satisfies a JSON schema. */
function exampleOf(schema: Schema): unknown {
  const {
    $ref,
    anyOf,
    oneOf,
    enum: values,
    type,
    properties = {},
    required = [],
    items,
    minItems,
    minimum,
    exclusiveMinimum,
    maximum,
    exclusiveMaximum,
  } = schema as Record<string, never>;
  if ('const' in schema) return schema['const'];
  if ('default' in schema) return schema['default'];
  if (values !== undefined) return values[0];
  if ($ref !== undefined) return { kind: 'domain', name: 'l2-ball', params: { radius: 1 } };
  const alternatives = (anyOf ?? oneOf) as readonly Schema[] | undefined;
  if (alternatives !== undefined) return exampleOf(alternatives[0]);
  const least = Number(minimum ?? exclusiveMinimum ?? 0);
  const most = Number(maximum ?? exclusiveMaximum ?? Infinity);
  switch (type as unknown) {
    case 'integer':
      return Math.min(least + 3, most);
    case 'number':
      return most < least + 1 ? (least + most) / 2 : least + 1;
    case 'boolean':
      return true;
    case 'array':
      return Array.from({ length: Math.max(2, Number(minItems ?? 0)) }, () => exampleOf(items as Schema));
    case 'object':
      return Object.fromEntries(
        (required as readonly string[]).map((name) => [
          name,
          exampleOf((properties as Record<string, Schema>)[name]),
        ]),
      );
    default:
      return {};
  }
}

/** Parameters close to valid ones, and far from them. */
function paramsOf(plugin: Plugin): fc.Arbitrary<unknown> {
  const example = exampleOf(describePlugin(plugin).params as Schema) as object;
  const far = fc.oneof(strange, fc.object(), fc.constant(example));
  return placesOf(example).length === 0
    ? far
    : fc.oneof(
        { weight: 3, arbitrary: spoilt(example) },
        { weight: 1, arbitrary: far },
        { weight: 1, arbitrary: strange.map((extra) => ({ ...example, extra })) },
      );
}

const dimensions = [1, 3, 2 ** 27, 2 ** 40, 0, -1, 1.5, Number.NaN];
const normIn: Readonly<Record<Clip['norm'], (vector: Float64Array) => number>> = {
  l1: (vector) => vector.reduce((sum, x) => sum + Math.abs(x), 0),
  l2: (vector) => Math.hypot(...vector),
  linf: (vector) => Math.max(...vector.map(Math.abs)),
};
const finite = (x: number): void => expect(Number.isNaN(x)).toBe(false);
const each = (values: readonly number[], use: (x: number) => void): void =>
  values.forEach((x) => typedOutcome(() => use(x)));

/** Calls the methods that curators and plans call, on accepted parameters, with unusual public numbers. */
function exercise(ref: Ref): void {
  switch (ref.kind) {
    case 'mechanism': {
      const { plugin, params } = resolvePlugin<Mechanism>(registry, ref as Ref<'mechanism'>);
      each(strangeNumbers, (rho) => finite(plugin.multiplierFor(params, { rho })));
      each(strangeNumbers, (x) => {
        finite(plugin.multiplierFor(params, { epsilon: x, delta: 0.1 }));
      });
      each(strangeNumbers, (x) => {
        finite(plugin.multiplierFor(params, { epsilon: 1, delta: x }));
      });
      each(strangeNumbers, (scale) => plugin.addNoise(params, new Float64Array(2), scale, seededRandom('x')));
      return;
    }
    case 'clip': {
      const { plugin, params } = resolvePlugin<Clip>(registry, ref as Ref<'clip'>);
      const radius = plugin.radius(params);
      expect(radius > 0 && Number.isFinite(radius)).toBe(true);
      for (const value of strangeNumbers) {
        const vector = Float64Array.of(value, 1);
        plugin.clipInPlace(params, vector);
        expect(normIn[plugin.norm](vector)).toBeLessThanOrEqual(radius * (1 + 1e-12));
      }
      return;
    }
    case 'sampler': {
      const { plugin, params } = resolvePlugin<Sampler>(registry, ref as Ref<'sampler'>);
      each(strangeNumbers, (slots) => {
        plugin.amplification(params, slots);
        finite(plugin.normaliser(params, slots));
      });
      each([0, 1, 7, 1.5, -1, Number.NaN], (slots) => {
        expect(plugin.draw(params, slots, seededRandom('x')).every((at) => at < slots)).toBe(true);
      });
      each([0, 1, 7, 1.5, -1, Number.NaN], (slots) => {
        expect(
          plugin.partition
            ?.draw(params, slots, seededRandom('x'))
            .every((batch) => batch.every((at) => at < slots)),
        ).not.toBe(false);
      });
      each(
        strangeNumbers.filter((slots) => !(slots > 1e6)),
        (slots) => {
          plugin.partition?.normalisers(params, slots).forEach(finite);
        },
      );
      return;
    }
    case 'sketch': {
      const { plugin, params } = resolvePlugin<Sketch>(registry, ref as Ref<'sketch'>);
      each(
        dimensions.filter((d) => d !== 2 ** 27),
        (dimension) => {
          expect(
            plugin.draw(params, dimension, seededRandom('x')).coordinates.every((j) => j < dimension),
          ).toBe(true);
          plugin.marginals(params, dimension).forEach(finite);
        },
      );
      each(strangeNumbers, (i) => finite(plugin.pairProbability(params, 3, i, 0)));
      return;
    }
    case 'domain': {
      const { plugin, params } = resolvePlugin<DomainPlugin>(registry, ref as Ref<'domain'>);
      each(
        dimensions.filter((d) => !(d > 3)),
        (dimension) => {
          const domain = plugin.build(params, dimension, registry);
          const point = domain.projectInto(new Float64Array(dimension), new Float64Array(dimension).fill(3));
          expect(point.every(Number.isFinite)).toBe(true);
          finite(domain.diameter);
        },
      );
      return;
    }
    case 'prefixSum': {
      const { plugin, params } = resolvePlugin<PrefixSum>(registry, ref as Ref<'prefixSum'>);
      each(strangeNumbers, (x) => {
        finite(plugin.columnNorm(params, { steps: x, dimension: 2 }, { times: 1, gap: 1 }));
      });
      each(strangeNumbers, (x) => {
        finite(plugin.columnNorm(params, { steps: 4, dimension: 2 }, { times: x, gap: 1 }));
      });
      each(strangeNumbers, (x) => {
        finite(plugin.variance(params, { steps: 4, dimension: 2 }, x));
      });
      return;
    }
    case 'solver': {
      const { plugin, params } = resolvePlugin<Solver>(registry, ref as Ref<'solver'>);
      each(strangeNumbers, (x) => {
        plugin.worstDistance(params, { strongConvexity: x, smoothness: 2, startDistance: 1 });
      });
      each(strangeNumbers, (x) => {
        plugin.worstDistance(params, { strongConvexity: 1, smoothness: x, startDistance: x });
      });
      return;
    }
    case 'mean': {
      const { plugin, params } = resolvePlugin<Mean>(registry, ref as Ref<'mean'>);
      if (plugin.trust !== 'central') return;
      each(strangeNumbers, (x) => {
        plugin.sensitivity(params, meanShape({ dimension: x, slots: 10, registry }));
      });
      each(strangeNumbers, (x) => {
        plugin.sensitivity(params, meanShape({ dimension: 2, slots: x, registry }));
      });
      return;
    }
    default:
  }
}

test('every plugin has a JSON schema for its parameters, and nearly all accept an example', () => {
  const accepted = registry.filter(
    (plugin) =>
      'value' in
      typedOutcome(() =>
        parseOrThrow(plugin.params, exampleOf(describePlugin(plugin).params as Schema), plugin.name),
      ),
  );
  expect(accepted.length).toBeGreaterThan(0.7 * registry.length);
});

describe.each(registry.map((plugin) => [`${plugin.kind} ${plugin.name}`, plugin] as const))(
  '%s',
  (_name, plugin) => {
    test('accepts parameters or throws a typed error, and works with accepted ones', () => {
      let exercised = 0;
      fc.assert(
        fc.property(paramsOf(plugin), (input) => {
          const outcome = typedOutcome(() =>
            typeof plugin === 'function'
              ? (plugin as (params: unknown) => Ref)(input)
              : {
                  kind: plugin.kind,
                  name: plugin.name,
                  params: parseOrThrow(plugin.params, input, plugin.name) as Json,
                },
          );
          if ('error' in outcome) {
            expect(outcome.error.code).toBe('invalid-parameter');
            return;
          }
          expect(outcome.value).toMatchObject({ kind: plugin.kind, name: plugin.name });
          if (isFull || exercised++ < 4) typedOutcome(() => exercise(outcome.value));
          if (plugin.kind === 'lowerBound')
            typedOutcome(() => finite((plugin as LowerBound).evaluate(outcome.value.params as never).value));
        }),
        { numRuns: isFull ? 120 : 20 },
      );
    });

    test('refuses parameters that JSON cannot represent', () => {
      for (const params of [5, 'x', [], null, undefined, Symbol('x'), () => 1]) {
        if (typeof plugin !== 'function') continue;
        expectRefused(() => (plugin as (input: unknown) => Ref)(params));
      }
    });
  },
);

describe.each(optimizers.map((optimizer) => [optimizer.name, optimizer as Optimizer] as const))(
  'a plan of %s',
  (_name, optimizer) => {
    const problem: Problem = {
      adjacency: 'replace-one',
      trust: { model: 'central' },
      dimension: 3,
      slots: [100],
      domain: l2BallDomain({ radius: 1 }),
      loss: squared({}),
      capabilities: squared.capabilities,
      facts: Object.fromEntries(
        ['smoothness', 'lipschitz', 'diameter', 'gradientMoment.2', 'gradientMoment.4'].map((name) => [
          name,
          { value: 2, scope: 'every-record', provenance: 'declared' },
        ]),
      ),
    };
    // Fast accountants, and noise to a relative error of 0.001:
    // whether plans are finite does not depend on the last digits.
    const calibrate = rememberingCalibrator([gdp, rdp], 1e-3);
    const plan = (change: object): ReturnType<typeof typedOutcome> =>
      typedOutcome(() =>
        optimizer.prepare({
          problem,
          registry,
          budget: { epsilon: 1, delta: 1e-6 },
          params: {},
          calibrate,
          random: seededRandom('plan'),
          ...change,
        } as never),
      );
    /** Every number of a plan is finite. */
    const expectFinite = (outcome: ReturnType<typeof typedOutcome>): void => {
      if ('value' in outcome)
        JSON.stringify((outcome.value as { plan: unknown }).plan, (_key, value: unknown) => {
          if (typeof value === 'number' && !Number.isFinite(value)) expect([_key, value]).toEqual(0);
          return value;
        });
    };

    test('is valid or refused, for any parameters', () => {
      const numbers = fc.dictionary(
        fc.constantFrom(
          'steps',
          'rounds',
          'rate',
          'clipNorm',
          'stepSize',
          'noiseMultiplier',
          'momentOrder',
          'checkpointEvery',
        ),
        fc.oneof(fc.constantFrom<unknown>(...strangeNumbers, 1, 2, 10), strange),
      );
      fc.assert(
        fc.property(fc.oneof(numbers, strange, paramsOf(optimizer)), (params) =>
          expectFinite(plan({ params })),
        ),
        { numRuns: isFull ? 250 : 40 },
      );
    });

    test('is valid or refused, for any budget and facts', () => {
      const params = exampleOf(describePlugin(optimizer).params as Schema);
      for (const [i, x] of oneOfEachSort.entries()) {
        const changes: readonly object[] = [
          { budget: { epsilon: x, delta: 1e-6 } },
          { budget: { epsilon: 1, delta: x } },
          ...Object.entries(problem.facts).map(([name, fact]) => ({
            problem: { ...problem, facts: { ...problem.facts, [name]: { ...fact, value: x } } },
          })),
          // One large number of records is enough: plans have up to a million steps there.
          ...(x === 1e10 ? [] : [{ problem: { ...problem, slots: [x] } }]),
          { problem: { ...problem, dimension: x } },
        ];
        // By day every third of them, in turn.
        for (const [j, change] of changes.entries())
          if (isFull || (i + j) % 3 === 0) expectFinite(plan({ ...change, params }));
      }
      for (const x of [Number.NaN, -1, 0, Infinity, '1', null, undefined])
        expectRefused(() => {
          const made = plan({ budget: { epsilon: x, delta: 1e-6 } });
          if ('error' in made) throw made.error;
        });
    });
  },
);
