export {
  type ClaimProblem,
  type ClaimProblemKind,
  type ClaimsContext,
  checkClaims,
  checksOf,
} from './check-claims.js';
export { type ClaimCheck, defineClaimCheck } from './claim-check.js';
export {
  type ClaimCounts,
  type ClaimGroup,
  claimSchema,
  type ClaimsLedger,
  claimsLedgerSchema,
  type ClaimVerdict,
  countClaims,
  expectedGroups,
  expectedIds,
  type PaperClaim,
  parseClaims,
} from './ledger.js';
export { type ClaimRow, type ClaimsTable, type ClaimState, type RunClaims, runClaims } from './run-claims.js';
