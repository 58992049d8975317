import type { LawId, SubjectKind } from '@lethe/laws';

/**
 * Part of the inputs and draws of each kind that `npm test` takes, but for {@link lawEfforts}: every mutant
 * dies at these efforts under all seeds (`npm run mutants -- --effort suite`). Efforts change what a suite
 * may miss, never its false alarms.
 */
export const kindEfforts: Readonly<Partial<Record<SubjectKind, number>>> = {
  accountant: 0.125,
  clip: 0.1,
  curator: 0.1,
  domain: 0.1,
  event: 0.1,
  ledger: 0.1,
  localRandomiser: 0.25,
  loss: 0.1,
  lowerBound: 0.1,
  mean: 0.1,
  mechanism: 0.25,
  optimizer: 0.1,
  prefixSum: 0.1,
  release: 0.25,
  sampler: 0.25,
  selector: 0.25,
  sketch: 0.25,
  solver: 0.1,
  store: 0.1,
};
/** The same for laws with a mutant that lives at the part of its kind: they sample, or try few inputs. */
export const lawEfforts: Readonly<Partial<Record<LawId, number>>> = {
  'accountant/queries': 0.5,
  'clip/memoryless': 0.25,
  'event/witness': 0.25,
  'localRandomiser/simulation': 1,
  'localRandomiser/unbiased': 1,
  'localRandomiser/variance-bound': 1,
  'loss/facts': 0.25,
  'lowerBound/private-answers': 0.25,
  'lowerBound/records': 1,
  'lowerBound/regime': 0.25,
  'mean/bias-bound': 0.5,
  'mean/fast-path': 0.5,
  'mean/variance-bound': 0.25,
  'mechanism/every-octave': 1,
  'mechanism/every-scale': 1,
  'mechanism/long-calls': 1,
  'mechanism/noise-law': 1,
  'optimizer/hockey-stick': 0.32,
  'optimizer/utility': 0.5,
  'release/hockey-stick': 1,
  'sampler/partition-frequencies': 1,
  'sampler/marginals': 1,
  'sampler/stream-sizes': 1,
  'selector/among-many': 1,
  'selector/choice': 1,
  'selector/many': 1,
  'sketch/coordinates': 1,
  'sketch/frequencies': 1,
  'solver/certified-distance': 0.25,
};
