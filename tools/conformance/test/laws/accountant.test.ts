import { accountants } from '@lethe/accountants';
import { describeRegistryLaws } from '@lethe/laws/vitest';
import { describe, it } from 'vitest';

describeRegistryLaws({ describe, it }, accountants);
