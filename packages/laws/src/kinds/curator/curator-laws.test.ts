import { centralCurator } from '@lethe/core';
import { describe, it } from 'vitest';
import { describeLaws } from '../../law/describe.js';

describeLaws({ describe, it }, { kind: 'curator', name: 'central', claims: [], registry: [], open: centralCurator });
