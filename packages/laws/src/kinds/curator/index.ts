import type { Law } from '../../law/law.js';
import { adversary } from './adversary.js';
import { audit } from './audit.js';
import { chargeFirst, entries, everyReleasePays } from './charges.js';
import { choice } from './choice.js';
import { coveredValues } from './covered-values.js';
import { descent } from './descents.js';
import { sparseMinimiser } from './sparse-minimiser.js';
import { brokenPlugins, finiteAnswers, minimiserContract, meanContract } from './edges.js';
import { factEnforced, factValidity, ownScale } from './facts.js';
import { affords, held } from './held.js';
import { lastAnswer } from './last-answer.js';
import { limit, limitByUpper } from './limit.js';
import { lyingMeans } from './lying-means.js';
import { manyQueries } from './many-queries.js';
import { costByMembership, draws, splits } from './members.js';
import { noise } from './noise.js';
import { emptyBatch, noSizesUnderAddRemove, publicNormaliser, publicSize } from './normaliser.js';
import { oneValue } from './one-value.js';
import { options } from './options.js';
import { arraysLent, label, plainData, unprotected } from './plain.js';
import { publicGrid } from './public-grid.js';
import { adjacencyRatio, nullRecords, oneBadRecord } from './records.js';
import { chargeStands, digests, replay, resume } from './replay.js';
import { restoredCopies } from './restored.js';
import { sampledBatches, sampledCharge, verifiedStream } from './sampled-stream.js';
import { samples } from './samples.js';
import { scale } from './scale.js';
import { amplification, deadBatches, scopes, tokens } from './scopes.js';
import { selected, selectionCost, selectionHeld } from './selection.js';
import { owners } from './owners.js';
import { sensitivity } from './sensitivity.js';
import { shuffleLaws } from './shuffle/index.js';
import { onlyMechanismsTell } from './silence.js';
import { planned, statedCosts } from './stated.js';
import { streamCost, streamNoise, streamParticipation } from './stream.js';
import { wholeStream } from './whole-streams.js';
import { unrelatedNoise } from './unrelated.js';
import { meanValue, wideMean } from './value.js';
import { ended, versions } from './versions.js';

/** Laws of curators under central trust. */
const centralLaws: readonly Law<'curator'>[] = [
  plainData,
  factValidity,
  factEnforced,
  oneBadRecord,
  onlyMechanismsTell,
  chargeFirst,
  entries,
  everyReleasePays,
  manyQueries,
  ownScale,
  limit,
  limitByUpper,
  held,
  affords,
  adversary,
  statedCosts,
  planned,
  unprotected,
  resume,
  replay,
  versions,
  ended,
  chargeStands,
  digests,
  arraysLent,
  unrelatedNoise,
  meanValue,
  wideMean,
  scale,
  publicGrid,
  publicNormaliser,
  emptyBatch,
  publicSize,
  noise,
  coveredValues,
  choice,
  selected,
  selectionCost,
  selectionHeld,
  splits,
  costByMembership,
  draws,
  scopes,
  deadBatches,
  amplification,
  tokens,
  samples,
  noSizesUnderAddRemove,
  streamParticipation,
  streamCost,
  sampledBatches,
  sampledCharge,
  verifiedStream,
  streamNoise,
  restoredCopies,
  wholeStream,
  label,
  sensitivity,
  owners,
  finiteAnswers,
  brokenPlugins,
  meanContract,
  lyingMeans,
  minimiserContract,
  sparseMinimiser,
  descent,
  nullRecords,
  adjacencyRatio,
  audit,
];

const onlyUnder = (
  trust: 'central' | 'shuffle',
  laws: readonly Law<'curator'>[],
): readonly Law<'curator'>[] =>
  laws.map((law) => ({
    ...law,
    exempt: (subject) =>
      (subject.trust ?? 'central') === trust
        ? law.exempt?.(subject)
        : `it applies to curators under trust '${trust}'`,
  }));

/** Laws of every curator; laws for another trust model are exempt. */
export const curatorLaws: readonly Law<'curator'>[] = [
  oneValue,
  lastAnswer,
  options,
  ...onlyUnder('central', centralLaws),
  ...onlyUnder('shuffle', shuffleLaws),
];
