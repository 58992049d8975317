import { openLedger } from '@lethe/core';
import { describeLaws } from '@lethe/laws/vitest';
import { describe, it } from 'vitest';

describeLaws({ describe, it }, { kind: 'ledger', name: 'core', claims: [], open: openLedger });
