import { DataSource } from 'typeorm';
import { ProductCatalogsService } from '../../../src/catalogs/product-catalogs/product-catalogs.service.js';
import { ProductSetsService } from '../../../src/catalogs/product-sets/product-sets.service.js';
import { ProductsService } from '../../../src/catalogs/products/products.service.js';
import { world } from '../app.js';
import { auth, type Client } from './auth.js';
import { fresh } from './fresh.js';

/** A valid product as a shop sends it; its id is fresh. */
const product = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
  id: fresh('shoe'),
  title: 'Trail shoe',
  description: 'A light shoe for trails.',
  availability: 'in stock',
  condition: 'new',
  price: '60.00 USD',
  link: 'https://shop.example/shoe',
  image_link: 'https://shop.example/shoe.jpg',
  brand: 'Northwind',
  ...more,
});

export type Shop = Client & { catalog: string };

export const catalogs = {
  product,

  /** A user with a product catalog, and the path of it. */
  async shop(): Promise<Shop> {
    const client = await auth.client();
    const { body } = await client.api.post('/12/product_catalogs', { form: { name: fresh('Catalog') } });
    return { ...client, catalog: `/12/product_catalogs/${body.data.id}` };
  },

  /** A catalog of a user with products, and a set of all of them. */
  async productSet({ userId }: { userId: string }, ...products: Record<string, unknown>[]) {
    const { manager } = world().get(DataSource);
    const { id } = await world()
      .get(ProductCatalogsService)
      .create(manager, userId, { name: fresh('Catalog') });
    const json = { products: products.length > 0 ? products : [product()] };
    const put = await world().get(ProductsService).put(manager, userId, id, json);
    const keys = put.map(({ productKey }) => productKey!);
    const params = { name: fresh('Set'), type: 'MANUAL' as const, product_keys: keys };
    const { set } = await world().get(ProductSetsService).create(manager, userId, id, params);
    return { catalog_id: id, product_set_id: set.id, keys, catalog: `/12/product_catalogs/${id}` };
  },
};
