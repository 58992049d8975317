import { LetheError, type PluginKind } from '@lethe/core';
import type { Finding } from '../../law/finding.js';
import type { Subject } from '../../law/subject.js';

/**
 * The same plugin at other parameters: each number, and each list of numbers, a thousandth of it and eight
 * times as large, and a share of 1 closer to 1, where the schema accepts that. A contract holds for all
 * parameters, and a constant in place of a parameter shows only at another value of it.
 */
function otherParams<S extends Subject<PluginKind>>(subject: S): readonly S[] {
  const { params, plugin } = subject;
  if (typeof params !== 'object' || params === null) return [];
  const at = (key: string, value: number | readonly number[]): readonly S[] => {
    const parsed = plugin.params.safeParse({ ...params, [key]: value });
    return parsed.success ? [{ ...subject, params: parsed.data }] : [];
  };
  const all = (key: string, values: readonly number[]): readonly S[] =>
    [2 ** -10, 8].flatMap((by) =>
      at(
        key,
        values.map((value) => value * by),
      ),
    );
  return Object.entries(params)
    .flatMap(([key, value]) => {
      if (isNumbers(value)) return all(key, value);
      if (typeof value !== 'number') return [];
      return [value * 2 ** -10, value * 8, ...(value > 0 && value < 1 ? [1 - (1 - value) / 8] : [])].flatMap(
        (other) => {
          const whole = Math.round(other) || Math.sign(value);
          return [...at(key, other), ...(whole === value ? [] : at(key, whole))].slice(0, 1);
        },
      );
    })
    .slice(0, 4);
}

const isNumbers = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.length > 0 && value.every((entry) => typeof entry === 'number');

/**
 * Runs a check on the subject and then, with a quarter of the effort, at other parameters, until it fails. A
 * refusal there with a typed error is no violation.
 */
export function alsoElsewhere<S extends Subject<PluginKind>>(
  subject: S,
  check: (subject: S, effort: number) => Finding,
): Finding {
  const first = check(subject, 1);
  let { samples } = first;
  if (first.verdict !== 'holds') return first;
  for (const other of otherParams(subject)) {
    const finding = checkedAt(other, check);
    samples += finding?.samples ?? 0;
    if (finding?.verdict !== 'fails') continue;
    return {
      ...finding,
      samples,
      violation: {
        ...finding.violation,
        what: `with parameters ${JSON.stringify(other.params)}: ${finding.violation.what}`,
      },
    };
  }
  return { ...first, samples };
}

function checkedAt<S>(subject: S, check: (subject: S, effort: number) => Finding): Finding | undefined {
  try {
    const finding = check(subject, 1 / 4);
    return finding.verdict === 'fails' && finding.violation.cause instanceof LetheError ? undefined : finding;
  } catch (error) {
    if (error instanceof LetheError) return undefined;
    throw error;
  }
}
