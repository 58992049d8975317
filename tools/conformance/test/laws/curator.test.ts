import { centralCurator, shuffleCurator } from '@lethe/core';
import { describeLaws } from '@lethe/laws/vitest';
import { losses } from '@lethe/losses';
import { mechanisms } from '@lethe/mechanisms';
import { describe, it } from 'vitest';

describeLaws({ describe, it }, { kind: 'curator', name: 'trusted', claims: [], registry: [...mechanisms, ...losses], open: centralCurator });
describeLaws({ describe, it }, { kind: 'curator', name: 'shuffled', trust: 'shuffle', claims: [], registry: [...mechanisms, ...losses], open: shuffleCurator });
