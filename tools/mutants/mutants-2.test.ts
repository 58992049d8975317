import { describeMutants } from './shard.ts';

describeMutants(1, 4);
