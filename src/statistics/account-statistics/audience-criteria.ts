import type { TargetingType } from '../../campaigns/targeting-values/targeting-types.js';
import type { AudienceCriterion } from '../facts/delivery-audience.entity.js';

/** The criteria of an audience, by type: which values include users, and which exclude users. */
export class AudienceCriteria {
  private readonly included = new Map<string, Set<string>>();
  private readonly excluded = new Map<string, Set<string>>();

  constructor(criteria: readonly AudienceCriterion[]) {
    for (const [type, value, operator] of criteria) {
      const sides = operator === 'NE' ? this.excluded : this.included;
      const known = sides.get(type);
      if (known) known.add(value);
      else sides.set(type, new Set([value]));
    }
  }

  /** The values of these types that include users, each once. */
  including(...types: readonly TargetingType[]): Set<string> {
    return new Set(types.flatMap((type) => [...(this.included.get(type) ?? [])]));
  }

  /** The values of a type that exclude users. */
  excluding(type: TargetingType): ReadonlySet<string> {
    return this.excluded.get(type) ?? new Set();
  }

  /** True if users with a value of a type are in the audience, as far as criteria of the type tell. */
  allows(type: TargetingType, value: string): boolean {
    const included = this.included.get(type);
    return (included === undefined || included.has(value)) && !this.excluding(type).has(value);
  }
}
