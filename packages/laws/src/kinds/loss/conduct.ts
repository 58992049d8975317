import { type Violation, fails, holds } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { sameBits } from '../curator/outcomes.js';
import { acceptedLabels, dimension, gradientAt, margins, points, recordAt, valueAt, withoutLabels } from './points.js';

/** Finite records give finite numbers. */
export const finite = defineLaw<'loss'>({
  id: 'loss/finite', kind: 'loss', tier: 'search',
  statement: 'at finite points value and gradient of a finite record are finite, at margins from −10⁴ to 10⁴ and sizes up to 10¹²',
  power: 'any of 300 points; an exponential that overflows is found at once',
  exempt: withoutLabels,
  check: (subject, env) => env.forAll(points(subject.plugin, 16), (at): Violation | undefined => {
    const record = recordAt(at), value = valueAt(subject, at.w, record);
    if (!Number.isFinite(value)) return { what: `the loss is ${value}`, measured: value, input: at };
    const gradient = gradientAt(subject, at.w, record), bad = gradient.findIndex((entry) => !Number.isFinite(entry));
    return bad < 0 ? undefined : { what: `coordinate ${bad} of the gradient is ${gradient[bad]}`, measured: gradient[bad]!, input: at };
  }, { runs: 300, examples: margins(subject.plugin) }),
});

/** A loss is a function, and writes where it is told to. */
export const inPlace = defineLaw<'loss'>({
  id: 'loss/in-place', kind: 'loss', tier: 'search',
  statement: 'gradientInto writes every entry of out and nothing else; asked again, also after other records, value and gradient are the same to the last bit',
  power: 'any bit, at 150 pairs of points',
  exempt: withoutLabels,
  check: (subject, env) => env.forAll(points(subject.plugin), (at): Violation | undefined => {
    const { plugin, params } = subject, w = Float64Array.from(at.w), record = recordAt(at), zero = new Float64Array(dimension), full = new Float64Array(dimension).fill(7);
    const value = plugin.value(params as never, w, record);
    plugin.gradientInto(params as never, zero, w, record);
    plugin.gradientInto(params as never, full, w, record);
    if (!sameBits(zero, full)) return { what: `the gradient written over zeros is [${zero.join(', ')}], over sevens [${full.join(', ')}]: it depends on what was there`, input: at };
    if (!sameBits(w, Float64Array.from(at.w)) || !sameBits(record.features, Float64Array.from(at.x)) || !Object.is(record.label, at.label)) return { what: 'it changes the point or the record', input: at };
    gradientAt(subject, at.x, { features: Float64Array.from(at.w), label: acceptedLabels(plugin)[0]! });
    return sameBits(gradientAt(subject, at.w, record), zero) && Object.is(valueAt(subject, at.w, record), value) ? undefined
      : { what: 'asked again after another record it answers otherwise: it remembers something', input: at };
  }, { runs: 150, examples: margins(subject.plugin) }),
});

const notLabels = [NaN, Infinity, -Infinity];

/** The rule for labels is a rule. */
export const labels = defineLaw<'loss'>({
  id: 'loss/labels', kind: 'loss', tier: 'exact',
  statement: 'labels that are no finite numbers are refused; a label is accepted or not whoever asks how often; the rule can be shown; an accepted label has a loss',
  power: 'certain for three labels that are none and thirteen usual ones',
  check(subject) {
    const { plugin: { labels: rule } } = subject;
    if (typeof rule.rule !== 'string' || rule.rule.trim() === '') return fails(1, { what: 'the rule for labels is an empty text; a data owner must be able to read it' });
    for (const [i, label] of notLabels.entries()) if (rule.accepts(label) !== false) return fails(i + 1, { what: `the label ${label} is accepted; by the rule '${rule.rule}' data owners could attach it`, input: label });
    const tried = [...Array.from({ length: 41 }, (_, i) => (i - 20) / 4), 1e-300, 1e300, -1e300, 1 + 2 ** -52, -0];
    for (const [i, label] of tried.entries()) {
      const accepted = rule.accepts(label);
      if (typeof accepted !== 'boolean' || rule.accepts(label) !== accepted) return fails(i + 4, { what: `whether the label ${label} is accepted is ${String(accepted)} once and ${String(rule.accepts(label))} then`, input: label });
      if (accepted && Math.abs(label) < 1e100 && Number.isNaN(valueAt(subject, [1, 0, 0], recordAt({ x: [1, 0, 0], label })))) return fails(i + 4, { what: `the label ${label} is accepted, but the loss is NaN there`, input: label });
    }
    return holds(tried.length);
  },
});

/** The null record is silent. */
export const nullRecord = defineLaw<'loss'>({
  id: 'loss/null-record', kind: 'loss', tier: 'search', invariant: 'I-9',
  statement: 'where null records are declared, the gradient of a record of zeros is zero at every point',
  power: 'any entry that is not zero, at 150 points',
  exempt: (subject) => withoutLabels(subject) ?? (subject.plugin.capabilities.nullRecord === true ? undefined : 'it does not declare the capability nullRecord'),
  check: (subject, env) => env.forAll(points(subject.plugin), (at): Violation | undefined => {
    for (const label of [0, at.label]) {
      const gradient = gradientAt(subject, at.w, recordAt({ x: at.x.map(() => 0), label }));
      if (gradient.some((entry) => entry !== 0)) return { what: `the gradient of a record of zeros with label ${label} is [${gradient.join(', ')}]; a null record contributes nothing`, input: { w: at.w, label } };
    }
    return undefined;
  }, { runs: 150 }),
});

/** What is said in general follows in particular. */
export const capabilities = defineLaw<'loss'>({
  id: 'loss/capabilities', kind: 'loss', tier: 'exact',
  statement: 'a loss that is said to be Lipschitz or smooth, in general or by coordinate, states the constant of bounded records, for any iterates; one is linear exactly when it has a linear form',
  power: 'certain for each of five capabilities',
  check(subject) {
    const { plugin, params } = subject, { capabilities: has } = plugin, bounded = { dimension, featureNorm: 1, featureBounds: [1, 1, 1], labelBound: 1 };
    const facts = plugin.facts(params as never, bounded);
    const wanted = [[has.lipschitz, 'lipschitz', ['lipschitz']], [has.smooth, 'smooth', ['smoothness']], [has.coordinateLipschitz, 'coordinateLipschitz', [0, 1, 2].map((j) => `coordinateLipschitz.${j}`)], [has.coordinateSmooth, 'coordinateSmooth', [0, 1, 2].map((j) => `coordinateSmoothness.${j}`)]] as const;
    for (const [said, name, names] of wanted) {
      const missing = said === true ? names.find((fact) => facts[fact] === undefined) : undefined;
      if (missing !== undefined) return fails(1, { what: `it is said to be ${name}, but states no '${missing}' for records with ‖x‖ ≤ 1, |x_j| ≤ 1, |y| ≤ 1`, input: bounded });
    }
    if (has.linear !== undefined && has.linear !== (plugin.linear !== null)) return fails(1, { what: `capabilities.linear is ${has.linear}, and it has ${plugin.linear === null ? 'no' : 'a'} linear form` });
    return holds(5);
  },
});
