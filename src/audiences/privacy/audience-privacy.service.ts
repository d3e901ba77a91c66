import { Injectable } from '@nestjs/common';
import { Vault } from '../../auth/credentials/vault.js';
import { Config } from '../../config.js';
import {
  NOISE_DEVIATION,
  normalOf,
  reportedRange,
  reportedSize,
  WEIGHTED_NOISE_DEVIATION,
  type ReportedRange,
} from './reported-size.rules.js';

export type { ReportedRange };

/** Estimates made within one slot of the clock look at people as they are at its end. */
const SLOT_MS = 600_000;

/** A number of people, and everything that the number depends on and that a client can change. */
export interface CountedPeople {
  people: number;
  /** The same question about the same uploads has the same text, and so the same noise. Must not depend on `people`. */
  question: string;
  /** The sum of the weights of the identifiers that were counted, where they have any. */
  weights?: number;
  /** By how much one person can change `people`: more than 1 where a sample was counted. */
  each?: number;
}

/**
 * The one rule by which clients learn how many people there are: sizes of audiences and lists, diagnostics, flexible audiences
 * and estimates (docs/decisions/0026). With AUDIENCE_PRIVACY=exact numbers are reported as they were counted.
 */
@Injectable()
export class AudiencePrivacy {
  constructor(
    private readonly config: Config,
    private readonly vault: Vault,
  ) {}

  get isProtected(): boolean {
    return this.config.audiencePrivacy === 'protected';
  }

  /** Decides the weights of identifiers, as the text of a 64-bit number; undefined where they have none. */
  get weightSeed(): string | undefined {
    return this.isProtected ? `${this.vault.pseudorandom('identifier weights').readBigInt64BE(0)}` : undefined;
  }

  /** The size that is reported, null where that is "too small". */
  size(counted: CountedPeople): number | null {
    return reportedSize(this.noisy(counted), this.config.audienceMinimumSize);
  }

  /** The size that is reported of data that is nobody's secret: the number itself, null below AUDIENCE_MINIMUM_SIZE. */
  exactSize(people: number): number | null {
    return people >= this.config.audienceMinimumSize ? people : null;
  }

  /** The range that is reported of an estimate; `scale` multiplies it. */
  range(counted: CountedPeople, scale: number): ReportedRange {
    if (this.isProtected) return reportedRange(this.noisy(counted), this.config.audienceMinimumSize, scale);
    const people = Math.round(counted.people) * scale;
    return { min: Math.round(0.95 * people), max: Math.round(1.05 * people) };
  }

  /** The time as of which people are estimated; it stands still within a slot, so that nobody joins unseen within it. */
  estimatedAt(now: Date): Date {
    return this.isProtected ? new Date((Math.floor(now.getTime() / SLOT_MS) + 1) * SLOT_MS) : now;
  }

  private noisy({ people, question, weights, each = 1 }: CountedPeople): number {
    const deviation = weights === undefined ? NOISE_DEVIATION : WEIGHTED_NOISE_DEVIATION;
    return people + (weights ?? 0) + deviation * each * normalOf(this.vault.pseudorandom(question));
  }
}
