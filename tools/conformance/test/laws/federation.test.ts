import {
  addendSilo,
  heldAddendSilo,
  secureFederation,
  federation,
  rawSilo,
  siloCurator,
  trustedFederation,
} from '@lethe/curator/federation';
import { describeLaws } from '@lethe/laws/vitest';
import { losses } from '@lethe/losses';
import { mechanisms } from '@lethe/mechanisms';
import { lawRunner, optionsFor } from './suite.js';

describeLaws(
  lawRunner(),
  {
    kind: 'federation',
    name: 'silos',
    claims: [],
    registry: [...mechanisms, ...losses],
    join: federation,
    joinTrusted: trustedFederation,
    raw: rawSilo,
    hold: siloCurator,
    addend: addendSilo,
    joinSecure: secureFederation,
    holdAddends: heldAddendSilo,
  },
  optionsFor('federation'),
);
