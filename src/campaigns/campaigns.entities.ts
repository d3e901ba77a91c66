import type { Type } from '@nestjs/common';
import { Campaign } from './campaigns/campaign.entity.js';
import { FundingInstrument } from './funding-instruments/funding-instrument.entity.js';

/** The tables of campaigns and what pays for them. */
export const CAMPAIGNS_ENTITIES: Type[] = [Campaign, FundingInstrument];
