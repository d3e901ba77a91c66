import { Injectable } from '@nestjs/common';
import type { AccountReader } from '../../accounts/access/acting-account.js';

/** A product as a preview shows it. */
export interface PreviewedProduct {
  title: string;
  price: string;
  link: string;
}

/**
 * The products of a post: those of the set that a line item of the account advertises. `unpromoted`: no line item promotes
 * the post. `withheld`: the set is deleted, or is not one of the viewer, to whom the API does not show its products.
 */
export type ProductsOfPost = PreviewedProduct[] | 'unpromoted' | 'withheld';

type Finder = (account: AccountReader, viewerId: string, postId: string, limit: number) => Promise<ProductsOfPost>;

/** Asks the domain of line items, which is above this one, for the products of posts. */
@Injectable()
export class PreviewedProducts {
  private find?: Finder;

  register(find: Finder): void {
    this.find = find;
  }

  async of(account: AccountReader, viewerId: string, postId: string, limit: number): Promise<ProductsOfPost> {
    return (await this.find?.(account, viewerId, postId, limit)) ?? 'unpromoted';
  }
}
