/** What an item can be sorted by. */
export type Value = string | number | boolean | null;

/** An item and its values by attribute; names in lower case, `created_at` as a number that grows with creation. */
export interface Known {
  id: string;
  values: Record<string, Value>;
}

/**
 * The ids of these items, which stand in the order of their creation, in the order of these keys (`name-asc`): null comes
 * before everything else, texts compare byte by byte, and the order of creation closes in the direction of the first key.
 */
export function ordering(items: readonly Known[], sortBy: readonly string[]): string[] {
  const keys = sortBy.map((key) => {
    const cut = key.lastIndexOf('-');
    return { attribute: key.slice(0, cut), sign: key.slice(cut + 1) === 'desc' ? -1 : 1 };
  });
  return items
    .map((item, created) => ({ ...item, created }))
    .sort((a, b) => {
      for (const { attribute, sign } of keys) {
        const order = compare(a.values[attribute], b.values[attribute]);
        if (order !== 0) return order * sign;
      }
      return (a.created - b.created) * keys[0].sign;
    })
    .map(({ id }) => id);
}

function compare(a: Value, b: Value): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  if (typeof a === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(String(b)));
  return Number(a) - Number(b);
}

/** Why a service that sorts these items by the wrong column, or compares wrongly, could pass unseen; nothing where it cannot. */
export function faultsOf(items: readonly Known[], sortable: readonly string[], nullable: readonly string[]): string[] {
  const faults: string[] = [];
  const orders = new Map<string, string>();
  for (const key of sortable.flatMap((attribute) => [`${attribute}-asc`, `${attribute}-desc`])) {
    const order = ordering(items, [key]).join();
    const same = orders.get(order);
    if (same) faults.push(`${key} gives the same order as ${same}`);
    orders.set(order, key);
  }
  if (!sortable.includes('created_at')) {
    const created = items.map(({ id }) => id);
    for (const order of [created, [...created].reverse()]) {
      const same = orders.get(order.join());
      if (same) faults.push(`${same} gives the order of creation`);
    }
  }
  for (const attribute of sortable.filter((each) => each !== 'created_at')) {
    const values = items.map((item) => item.values[attribute]);
    if (new Set(values).size < 2) faults.push(`${attribute} is ${values[0]} everywhere`);
    if (new Set(values).size === values.length) faults.push(`${attribute} has no two alike`);
    if (nullable.includes(attribute) && !values.includes(null)) faults.push(`${attribute} is null nowhere`);
  }
  return faults;
}
