import { Example } from '../../common/http/params/dto-metadata.js';
import { DecimalId, Text } from '../../common/http/params/fields.js';

/** The user of a request about catalogs. */
@Example({})
export class CatalogUser {
  /** The authenticated user, who is the default. The catalogs of others answer 404. */
  @DecimalId({ optional: true }) user_id?: string;
}

const NAME = { max: 255, visible: true } as const;

@Example({ name: 'Autumn 2026' })
export class CreateProductCatalog extends CatalogUser {
  /** The name. */
  @Text(NAME) name: string;
}

@Example({ name: 'Winter 2026' })
export class UpdateProductCatalog extends CatalogUser {
  /** The name. */
  @Text(NAME) name: string;
}
