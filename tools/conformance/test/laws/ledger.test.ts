import { openLedger } from '@lethe/curator';
import { describeLaws } from '@lethe/laws/vitest';
import { lawRunner, optionsFor } from './suite.js';

const runner = lawRunner();
const options = optionsFor('ledger');

describeLaws(runner, { kind: 'ledger', name: 'core', claims: [], open: openLedger }, options);
