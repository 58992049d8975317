import type { Law } from '../../law/law.js';
import { adjacencyHonoured, missingAdjacency, replacing } from './adjacency.js';
import { amplifiedMore, amplifiedTruth, groups } from './amplified.js';
import { count, free, parallel, regrouping, unprotected, withMore } from './composition.js';
import { extremes } from './extreme.js';
import { failures, filteredIsItsLimit, selected } from './failing.js';
import { filterAdaptive, filterSums } from './filters.js';
import { nullRecord, promises } from './instances.js';
import { answers, interval } from './intervals.js';
import { knowledge, pluginKinds, wants } from './kinds.js';
import { monteCarlo } from './monte-carlo.js';
import { conversion, monotoneInCost, monotoneInDelta, monotoneInEpsilon } from './monotone.js';
import { exactGaussian, renyiOptimal } from './optimal.js';
import { options } from './options.js';
import { queries } from './queries.js';
import { questions, unknownKind } from './refusals.js';
import { amplification, drawnFailures, allRecords, rareDraws } from './sampling.js';
import { lowRates } from './low-rates.js';
import { smallDeltas } from './small-delta.js';
import { largeCosts, noPureCost, truth } from './truth.js';

/** Laws of every accountant. */
export const accountantLaws: readonly Law<'accountant'>[] = [
  answers,
  unknownKind,
  questions,
  interval,
  options,
  truth,
  largeCosts,
  noPureCost,
  promises,
  nullRecord,
  count,
  regrouping,
  parallel,
  free,
  unprotected,
  withMore,
  monotoneInDelta,
  monotoneInEpsilon,
  monotoneInCost,
  conversion,
  adjacencyHonoured,
  missingAdjacency,
  replacing,
  allRecords,
  amplification,
  drawnFailures,
  rareDraws,
  amplifiedTruth,
  amplifiedMore,
  groups,
  failures,
  filteredIsItsLimit,
  filterAdaptive,
  filterSums,
  selected,
  queries,
  extremes,
  smallDeltas,
  lowRates,
  wants,
  pluginKinds,
  knowledge,
  renyiOptimal,
  exactGaussian,
  monteCarlo,
];
