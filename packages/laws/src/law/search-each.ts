import { fails, holds, type Finding } from './finding.js';

/**
 * Runs a search on each part of a subject, up to the first violation, and adds up the samples.
 *
 * @param where - Prefix of the violation, such as "in dimension 3, ".
 */
export function searchEach<T>(
  parts: readonly T[],
  search: (part: T) => Finding,
  where: (part: T) => string = () => '',
): Finding {
  let samples = 0;
  for (const part of parts) {
    const finding = search(part);
    samples += finding.samples;
    if (finding.verdict === 'fails')
      return fails(samples, { ...finding.violation, what: `${where(part)}${finding.violation.what}` });
  }
  return holds(samples);
}
