import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { AccountReader } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { AdvertisedProducts } from '../../catalogs/advertised-products/advertised-products.service.js';
import type { ProductsOfPost } from '../../creatives/post-previews/previewed-product.js';
import { PreviewedProducts } from '../../creatives/post-previews/previewed-products.service.js';
import { ParentLineItems } from '../line-items/parent-line-items.service.js';
import { PROMOTED_POSTS } from './promoted-post.entity.js';

/** Maximum number of line items of a post that are looked at. */
const MAX_PROMOTIONS = 100;

/** Finds the products that previews of posts show. */
@Injectable()
export class PromotedProducts implements OnModuleInit {
  constructor(
    private readonly previewed: PreviewedProducts,
    private readonly resources: Resources,
    private readonly items: ParentLineItems,
    private readonly products: AdvertisedProducts,
  ) {}

  onModuleInit(): void {
    this.previewed.register((...args) => this.find(...args));
  }

  /** The products of the set that the newest promotion of the post advertises, if they are the viewer's. */
  private async find(account: AccountReader, viewerId: string, postId: string, limit: number): Promise<ProductsOfPost> {
    const promoted = await this.resources
      .of(account, PROMOTED_POSTS)
      .where('postId', postId)
      .orderBy('id', 'DESC')
      .limit(MAX_PROMOTIONS)
      .getMany();
    const items = await this.items.byId(
      account,
      promoted.map(({ lineItemId }) => lineItemId),
    );
    const advertised = promoted.flatMap(({ lineItemId }) => items.get(lineItemId) ?? []);
    const newest = advertised.find(({ creativeSource }) => creativeSource === 'DYNAMIC_PRODUCT_CREATIVE');
    if (!newest) return 'not promoted';
    const { catalogId, productSetId: setId } = newest;
    // an import may have left them out
    if (catalogId === null || setId === null) return 'withheld';
    return (await this.products.available(account.db, viewerId, { catalogId, setId }, limit)) ?? 'withheld';
  }
}
