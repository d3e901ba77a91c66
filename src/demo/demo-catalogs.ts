import type { INestApplicationContext } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ProductCatalogsService } from '../catalogs/product-catalogs/product-catalogs.service.js';
import { ProductSetsService } from '../catalogs/product-sets/product-sets.service.js';
import { ProductsService } from '../catalogs/products/products.service.js';
import { ScheduledFeedsService } from '../catalogs/scheduled-feeds/scheduled-feeds.service.js';
import { csv } from '../common/text/csv.js';
import { Config } from '../config/config.js';
import { demoFeedUrl } from './credentials-file.js';

const product = (name: string, title: string, price: string, more: Record<string, string> = {}) => ({
  id: name,
  title,
  description: `${title}, made for many years of coffee.`,
  availability: 'in stock',
  condition: 'new',
  price,
  link: `https://northwind.example/shop/${name}`,
  image_link: `https://northwind.example/shop/${name}.jpg`,
  brand: 'Northwind',
  product_type: 'Coffee makers',
  inventory: 40,
  ...more,
});

const PRODUCTS: Record<string, string | number>[] = [
  product('french-press', 'French press', '29.00 USD', { custom_label_0: 'bestseller' }),
  product('mug-blue', 'Mug', '12.00 USD', { item_group_id: 'mug', color: 'blue', product_type: 'Mugs' }),
  product('mug-red', 'Mug', '12.00 USD', { item_group_id: 'mug', color: 'red', product_type: 'Mugs' }),
  product('kettle', 'Kettle', '49.00 USD', { sale_price: '39.00 USD' }),
];

/** The file of the demo's scheduled feed: its products, and one that is wrong. */
export function demoFeed(): string {
  const rows = [...PRODUCTS, product('grinder', 'Grinder', 'cheap')];
  const columns = [...new Set(rows.flatMap((each) => Object.keys(each)))];
  return csv([
    columns,
    ...rows.map((each: Record<string, string | number>) => columns.map((name) => each[name] ?? null)),
  ]);
}

/** The catalog of a shop for coffee makers, and products: two alone, and two variants; sets of them; a feed of the same. */
export async function makeCatalog(app: INestApplicationContext, userId: string): Promise<Record<string, string>> {
  const { manager } = app.get(DataSource);
  const { id } = await app.get(ProductCatalogsService).create(manager, userId, { name: 'Northwind shop' });
  const [press, , , kettle] = await app.get(ProductsService).put(manager, userId, id, { products: PRODUCTS });
  const keys = { product_key: press.productKey!, spare_product_key: kettle.productKey! };
  const sets = app.get(ProductSetsService);
  const gifts = { type: 'MANUAL' as const, product_keys: [keys.product_key] };
  const { set } = await sets.create(manager, userId, id, { name: 'Gifts', ...gifts });
  const { set: spare } = await sets.create(manager, userId, id, { name: 'Gifts of last year', ...gifts });
  const feed = await app.get(ScheduledFeedsService).create(manager, userId, id, {
    feed_url: demoFeedUrl(app.get(Config)),
    feed_format: 'CSV',
    frequency: 'DAILY',
    start_time: '06:30',
    time_zone: 'America/Los_Angeles',
  });
  return {
    scheduled_feed_id: feed.id,
    // there is no other
    spare_scheduled_feed_id: feed.id,
    product_catalog_id: id,
    // there is no other
    spare_product_catalog_id: id,
    product_set_id: set.id,
    spare_product_set_id: spare.id,
    ...keys,
  };
}
