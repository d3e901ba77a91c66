import { Delete, Get, HttpCode, Param, Put, Req } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../../auth/caller.js';
import { CallerController, CurrentCaller } from '../../auth/guards/ads-controller.js';
import { Policy } from '../../auth/guards/endpoint-policy.js';
import { Db } from '../../auth/idempotency/request-db.js';
import { Returns, ReturnsPage } from '../../common/http/answers/returns.js';
import { addToEcho, JsonBody, Params } from '../../common/http/params/params.js';
import {
  DeletedProductsView,
  presentDeleted,
  presentProduct,
  presentResults,
  ProductResultsView,
  ProductView,
} from './product.presenter.js';
import { DeleteProducts, ListProducts, PutProducts } from './products.dto.js';
import { ProductsService } from './products.service.js';

/** 25 products with long texts of wide characters. */
const PRODUCTS_BYTES = 2_000_000;

@CallerController('product_catalogs/:product_catalog_id/products', {
  tag: 'Product catalogs',
  quota: 'CATALOG_READS',
  perEndpoint: true,
})
export class ProductsController {
  constructor(private readonly products: ProductsService) {}

  /** Lists the products of a catalog, the newest first. Of products of a group it has the first, unless it lists a group. */
  @Get()
  @ReturnsPage(ProductView)
  async list(
    @CurrentCaller() { userId }: Caller,
    @Param('product_catalog_id') catalogId: string,
    @Params() query: ListProducts,
    @Db() db: EntityManager,
  ) {
    return (await this.products.list(db, userId, catalogId, query)).map(presentProduct);
  }

  /** Creates up to 25 products, or replaces those with the same ids. Each product has its own result. */
  @Put()
  @HttpCode(200)
  @Policy({ body: 'json', writeQuota: 'PRODUCT_WRITES' })
  @RouteConfig({ takesJsonOnly: true, bodyLimit: PRODUCTS_BYTES })
  @Returns(ProductResultsView)
  async put(
    @Req() { body }: FastifyRequest,
    @CurrentCaller() { userId }: Caller,
    @Param('product_catalog_id') catalogId: string,
    @JsonBody() params: PutProducts,
    @Db() db: EntityManager,
  ) {
    // the results tell of each
    addToEcho(body, { products: undefined });
    return presentResults(await this.products.put(db, userId, catalogId, params));
  }

  /** Deletes products permanently. */
  @Delete()
  @Policy({ body: 'json', writeQuota: 'PRODUCT_DELETES' })
  @RouteConfig({ takesJsonOnly: true })
  @Returns(DeletedProductsView)
  async delete(
    @CurrentCaller() { userId }: Caller,
    @Param('product_catalog_id') catalogId: string,
    @JsonBody() params: DeleteProducts,
    @Db() db: EntityManager,
  ) {
    const deleted = await this.products.delete(db, userId, catalogId, params);
    return presentDeleted([...new Set(params.product_keys)], deleted);
  }
}
