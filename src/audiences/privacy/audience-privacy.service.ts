import { Injectable } from '@nestjs/common';
import { Vault } from '../../auth/credentials/vault.js';
import { Config } from '../../config/config.js';
import {
  NOISE_DEVIATION,
  normalOf,
  reportedRange,
  reportedSize,
  WEIGHTED_NOISE_DEVIATION,
  type ReportedRange,
} from './reported-size.rules.js';

export type { ReportedRange };

/** Estimates within one clock slot use the people at its end. */
const SLOT_MS = 600_000;

/** A number of people, with everything it depends on that a client can change. */
export interface CountedPeople {
  people: number;
  /**
   * The same question about the same uploads has the same text and so the same noise. It must not depend on `people`.
   */
  question: string;
  /** The sum of the weights of the counted identifiers, if they have any. */
  weights?: number;
  /** The largest change of `people` that one person causes: more than 1 for a sample. */
  each?: number;
}

/**
 * The only rule by which clients receive numbers of people: sizes of audiences and lists, diagnostics, flexible
 * audiences and estimates (docs/decisions/0026). With AUDIENCE_PRIVACY=exact it reports the counted numbers.
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

  /** The seed of the identifiers' weights, as the text of a 64-bit number; undefined if they have none. */
  get weightSeed(): string | undefined {
    return this.isProtected ? `${this.vault.pseudorandom('identifier weights').readBigInt64BE(0)}` : undefined;
  }

  /** The reported size; null if it is "too small". */
  size(counted: CountedPeople): number | null {
    return reportedSize(this.noisy(counted), this.config.audienceMinimumSize);
  }

  /** The reported size of data that is not confidential: the number itself, null below AUDIENCE_MINIMUM_SIZE. */
  exactSize(people: number): number | null {
    return people >= this.config.audienceMinimumSize ? people : null;
  }

  /** The reported range of an estimate, multiplied by `scale`. */
  range(counted: CountedPeople, scale: number): ReportedRange {
    if (this.isProtected) return reportedRange(this.noisy(counted), this.config.audienceMinimumSize, scale);
    const people = Math.round(counted.people) * scale;
    return { min: Math.round(0.95 * people), max: Math.round(1.05 * people) };
  }

  /** The time of the people in an estimate. It is constant within a slot, which hides people who join within it. */
  estimatedAt(now: Date): Date {
    return this.isProtected ? new Date((Math.floor(now.getTime() / SLOT_MS) + 1) * SLOT_MS) : now;
  }

  private noisy({ people, question, weights, each = 1 }: CountedPeople): number {
    const deviation = weights === undefined ? NOISE_DEVIATION : WEIGHTED_NOISE_DEVIATION;
    return people + (weights ?? 0) + deviation * each * normalOf(this.vault.pseudorandom(question));
  }
}
