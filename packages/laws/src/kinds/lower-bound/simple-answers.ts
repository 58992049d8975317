import type { HardInstance, RandomSource, Vector } from '@lethe/core';
import { defined, type Domain } from '@lethe/numerics';
import { domainIn } from '../../engines/ball-domain.js';
import { boundedMean, logThreshold, noteEnd, type EProcess } from '../../evidence/index.js';
import { type Violation, fails, holds, skipped } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { attempt } from '../sampler/declined.js';
import { drawn, lossOf, momentsOf, noMoments, parameter, problemOf, withParameters } from './subject.js';

type Of = Subject<'lowerBound'>;

/** Numbers that all instances of one setting may have: settings with more are left out. */
const mostNumbers = 6e6;
/** After as many draws an answer is given up whose mean risk is not below what is proved. */
const hopeless = 200;
/** A value that is too high by this part is seen. */
const seen = 1 / 3;
/** Lengths of the step, in radii of the domain for a mean gradient as long as the moment. */
const steps = [1, 16] as const;

/** An output, of which the law knows that its algorithm is ρ-zCDP. */
interface Answer {
  readonly name: string;
  readonly output: Vector;
}

/** Simple private algorithms have the excess risk that the bound proves. */
export const simpleAnswers = defineLaw<'lowerBound'>({
  id: 'lowerBound/simple-answers',
  kind: 'lowerBound',
  tier: 'statistical',
  statement:
    'where its constants are proved, the bound is the largest part that drawn instances prove, and the ' +
    'mean excess risk over drawn instances is at least their part: that of the centre of the domain and, ' +
    'for a bound with a parameter rho, of one projected step along the mean gradient of all records with ' +
    'Gaussian noise for rho-zCDP under replace-one; at other numbers too, and where privacy costs nothing',
  power:
    'a value 1.5 times too high where one of the answers has at most 1.1 times the risk that is proved: ' +
    'a few records without privacy, rare records with a small coupling',
  exempt: noMoments,
  check(subject, env) {
    const settings = settingsOf(subject);
    let samples = 0;
    for (const setting of settings) {
      const found = partOf(setting);
      if (found === undefined) continue;
      const unproved = exceedsParts(setting, found.value);
      if (unproved !== undefined) return fails(samples + 1, unproved);
      const alpha = env.alpha / (settings.length * (1 + steps.length));
      const run = compared(setting, found.part, {
        alpha,
        random: env.random(JSON.stringify(setting.params)),
      });
      samples += run.draws;
      if (run.violation !== undefined) return fails(samples, run.violation);
    }
    return samples === 0
      ? skipped('its constants are not proved at these parameters, or its instances are too large to draw')
      : holds(samples);
  },
});

/** The proved value and the part of it that drawn instances prove; `undefined` where constants are hidden. */
function partOf({ plugin, params }: Of): { readonly value: number; readonly part: number } | undefined {
  if (plugin.measure !== 'excess-risk') return undefined;
  const found = attempt(() => plugin.evaluate(params));
  if (found.declined !== undefined || !found.value.explicit) return undefined;
  return { value: found.value.value, part: found.value.drawn ?? found.value.value };
}

/** Parameters that only scale the instance, which `lowerBound/homogeneous` covers. */
const scaling = new Set(['moment', 'secondMoment', 'radius', 'convexity']);

/** The parameters, few records, each number an eighth of it, and free privacy; with every instance. */
function settingsOf(subject: Of): readonly Of[] {
  const given = Object.entries(subject.params as object) as readonly (readonly [string, unknown])[];
  const [n, dimension] = ['n', 'dimension'].map((name) => parameter(subject, name));
  const few = {
    ...(n === undefined ? {} : { n: Math.min(n, 4) }),
    ...(dimension === undefined ? {} : { dimension: Math.min(dimension, 16) }),
  };
  const free = Object.fromEntries(
    ['rho', 'epsilon'].flatMap((name) => {
      const value = parameter(subject, name);
      return value === undefined ? [] : [[name, 2 ** 40 * value]];
    }),
  );
  const changes: readonly Readonly<Record<string, unknown>>[] = [
    {},
    few,
    { ...few, ...free },
    ...given.flatMap(([name, value]) =>
      typeof value !== 'number' || scaling.has(name)
        ? []
        : [{ [name]: Number.isInteger(value) ? Math.ceil(value / 8) : value / 8 }],
    ),
  ];
  return changes.flatMap((change) => at(subject, change)).flatMap(withOtherInstances);
}

/** The subject at changed parameters; none where the schema refuses them. */
const at = (subject: Of, change: Readonly<Record<string, unknown>>): readonly Of[] => {
  const params = withParameters(subject, change);
  return params === undefined ? [] : [{ ...subject, params }];
};

/**
 * The same bound with its other instances: those of the choices in words, by default or in an example, that
 * do not change its value.
 */
function withOtherInstances(subject: Of): readonly Of[] {
  const words = Object.entries(subject.params as object).filter(([, value]) => typeof value === 'string');
  const value = partOf(subject)?.value;
  const others = words.flatMap(([name, word]) =>
    [...new Set([undefined, ...(subject.plugin.examples ?? []).map((example) => choiceIn(example, name))])]
      .flatMap((other) => at(subject, { [name]: other }))
      .filter((other) => choiceIn(other.params, name) !== word && partOf(other)?.value === value),
  );
  return [subject, ...others];
}

const choiceIn = (params: unknown, name: string): unknown =>
  (params as Readonly<Record<string, unknown>>)[name];

/** A value above every part that instances of the same numbers prove. */
function exceedsParts(subject: Of, value: number): Violation | undefined {
  const parts = withOtherInstances(subject).flatMap((other) => partOf(other)?.part ?? []);
  const most = Math.max(...parts);
  return value <= most * (1 + 1e-9)
    ? undefined
    : {
        what: `the bound is ${value}; instances, however they are chosen, prove ${most}`,
        measured: value,
        allowed: most,
        input: subject.params,
      };
}

/** A bet on the risk of one answer, and the sum of its risks so far. */
interface Bet {
  readonly process: EProcess;
  sum: number;
}

/** Bets that an answer has less risk than `part`. */
function compared(
  subject: Of,
  part: number,
  { alpha, random }: { readonly alpha: number; readonly random: RandomSource },
): { readonly draws: number; readonly violation?: Violation } {
  const problem = problemOf(subject);
  if (problem === undefined) return { draws: 0 };
  const domain = domainIn(subject.registry, problem.domain, problem.record.columns);
  // The gradient of the population is at most as long as the least moment.
  const most = momentsOf(subject)[0][1] * domain.diameter;
  const isBounded = Number.isFinite(most) && part > 0 && part < most;
  // Each draw gains about part · seen/most nats.
  const draws = Math.ceil((1.5 * (logThreshold(alpha) + 5) * most) / (seen * part));
  const numbers = draws * problem.record.columns * (parameter(subject, 'n') ?? 1);
  if (!isBounded || !(numbers <= mostNumbers)) return { draws: 0 };
  const bets = new Map<string, Bet>();
  for (let i = 0; i < draws; i++) {
    const own = random.fork(i);
    const instance = drawn(subject, own);
    for (const { name, output } of answersTo(subject, instance, domain, own.fork('noise'))) {
      const bet = bets.get(name) ?? {
        process: boundedMean({ atMost: -part, lowest: -most * (1 + 1e-9), highest: 0 }),
        sum: 0,
      };
      const risk = instance.excessRisk(output);
      bets.set(name, bet);
      bet.sum += risk;
      bet.process.push(-risk);
      if (bet.process.rejects(alpha))
        return {
          draws: i + 1,
          violation: {
            what:
              `the bound proves an excess risk of ${part} on its drawn instances; ` +
              `${name} has ${bet.sum / (i + 1)} on average`,
            measured: bet.sum / (i + 1),
            allowed: part,
            logE: bet.process.logE,
            input: subject.params,
          },
        };
    }
    const isHopeless = [...bets.values()].every(({ sum }) => sum >= part * (i + 1));
    if ((i + 1) % hopeless === 0 && isHopeless) {
      for (const { process } of bets.values()) noteEnd(process, { alpha, planned: draws });
      return { draws: i + 1 };
    }
  }
  return { draws };
}

/** Outputs of private algorithms: the centre, and steps of several lengths along one noisy mean gradient. */
function answersTo(
  subject: Of,
  instance: HardInstance,
  domain: Domain,
  noise: RandomSource,
): readonly Answer[] {
  const { centre } = domain;
  const rho = parameter(subject, 'rho');
  const { plugin, params } = defined(lossOf(subject));
  const { rows, columns, features, labels } = instance;
  const lipschitz = plugin.facts(params, defined(problemOf(subject)).record)['lipschitz']?.value;
  const still = { name: 'the centre of the domain', output: centre };
  if (rho === undefined || lipschitz === undefined) return [still];
  const mean = new Float64Array(columns);
  const gradient = new Float64Array(columns);
  for (let i = 0; i < rows; i++) {
    plugin.gradientInto(params, gradient, centre, {
      features: features.subarray(i * columns, (i + 1) * columns),
      label: labels[i],
    });
    for (let j = 0; j < columns; j++) mean[j] += gradient[j] / rows;
  }
  // A replaced record moves the mean by 2·lipschitz/rows at most.
  const scale = (2 * lipschitz) / (rows * Math.sqrt(2 * rho));
  const drawnNoise = noise.gaussianInto(new Float64Array(columns));
  const moment = momentsOf(subject)[0][1];
  return [
    still,
    ...steps.map((step) => {
      const length = (step * domain.diameter) / 2 / moment;
      const moved = mean.map((x, j) => centre[j] - length * (x + scale * drawnNoise[j]));
      return {
        name: `a step of ${step} radii along a ρ-zCDP mean gradient`,
        output: domain.projectInto(new Float64Array(columns), moved),
      };
    }),
  ];
}
