/** The type of the items, which a few responses have beside `data`. */
export interface Typed {
  /** The constant value of `data_type`. */
  data_type?: string;
}

type Properties = Record<string, unknown>;

/** The same as schemas for the serializer and for the document. */
export const dataTyped = ({ data_type }: Typed): { wire: Properties; described: Properties } =>
  data_type === undefined
    ? { wire: {}, described: {} }
    : {
        wire: { data_type: { type: 'string' } },
        described: { data_type: { type: 'string', const: data_type, description: 'The type of the items.' } },
      };
