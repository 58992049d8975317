import { Unsupported } from '@lethe/core';
import { accountantLaws } from '../kinds/accountant/index.js';
import { clipLaws } from '../kinds/clip/index.js';
import { curatorLaws } from '../kinds/curator/index.js';
import { domainLaws } from '../kinds/domain/index.js';
import { eventLaws } from '../kinds/event/index.js';
import { federationLaws } from '../kinds/federation/index.js';
import { ledgerLaws } from '../kinds/ledger/index.js';
import { localRandomiserLaws } from '../kinds/local-randomiser/index.js';
import { lossLaws } from '../kinds/loss/index.js';
import { lowerBoundLaws } from '../kinds/lower-bound/index.js';
import { meanLaws } from '../kinds/mean/index.js';
import { mechanismLaws } from '../kinds/mechanism/index.js';
import { optimizerLaws } from '../kinds/optimizer/index.js';
import { prefixSumLaws } from '../kinds/prefix-sum/index.js';
import { regulariserLaws } from '../kinds/regulariser/index.js';
import { releaseLaws } from '../kinds/release/index.js';
import { samplerLaws } from '../kinds/sampler/index.js';
import { selectorLaws } from '../kinds/selector/index.js';
import { sketchLaws } from '../kinds/sketch/index.js';
import { solverLaws } from '../kinds/solver/index.js';
import { storeLaws } from '../kinds/store/index.js';
import type { Law } from './law.js';
import type { SubjectKind } from './subject.js';

/** All laws, by kind of subject. */
export const lawSets: { readonly [K in SubjectKind]: readonly Law<K>[] } = {
  mechanism: mechanismLaws,
  selector: selectorLaws,
  clip: clipLaws,
  mean: meanLaws,
  localRandomiser: localRandomiserLaws,
  sketch: sketchLaws,
  sampler: samplerLaws,
  prefixSum: prefixSumLaws,
  domain: domainLaws,
  regulariser: regulariserLaws,
  solver: solverLaws,
  event: eventLaws,
  accountant: accountantLaws,
  loss: lossLaws,
  optimizer: optimizerLaws,
  lowerBound: lowerBoundLaws,
  curator: curatorLaws,
  federation: federationLaws,
  release: releaseLaws,
  ledger: ledgerLaws,
  store: storeLaws,
};

/**
 * The laws of one kind of subject.
 *
 * @throws {Unsupported} for anything else.
 */
export function lawsFor<K extends SubjectKind>(kind: K): readonly Law<K>[] {
  if (!Object.hasOwn(lawSets, kind))
    throw new Unsupported(
      `there are no laws for '${kind}'; there are laws for ${Object.keys(lawSets).join(', ')}`,
      { kind },
    );
  return lawSets[kind];
}
