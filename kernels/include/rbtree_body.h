/* SPDX-License-Identifier: Apache-2.0 */
/* What is done to a red-black tree, included once for each form of its nodes: see rbtree.h and rbtree_pointers.h. */

/* Its child takes the node's place. Where the child would be none, the tree is one that never was. */
static void RB_(rotate_left)(TREE t, LINK x)
{
    LINK y = AT(x).right;
    if (x == NONE || y == NONE)
        return;
    LINK inner = AT(y).left;
    LINK parent = AT(x).parent;
    AT(x).right = inner;
    if (inner != NONE) {
        AT(inner).parent = x;
        SET_SIDE(inner, 1);
    }
    AT(y).parent = parent;
    if (IS_LEFT(x, parent)) {
        AT(parent).left = y;
        SET_SIDE(y, 0);
    } else {
        AT(parent).right = y;
        SET_SIDE(y, 1);
    }
    AT(y).left = x;
    AT(x).parent = y;
    SET_SIDE(x, 0);
}

static void RB_(rotate_right)(TREE t, LINK x)
{
    LINK y = AT(x).left;
    if (x == NONE || y == NONE)
        return;
    LINK inner = AT(y).right;
    LINK parent = AT(x).parent;
    AT(x).left = inner;
    if (inner != NONE) {
        AT(inner).parent = x;
        SET_SIDE(inner, 0);
    }
    AT(y).parent = parent;
    if (IS_LEFT(x, parent)) {
        AT(parent).left = y;
        SET_SIDE(y, 0);
    } else {
        AT(parent).right = y;
        SET_SIDE(y, 1);
    }
    AT(y).right = x;
    AT(x).parent = y;
    SET_SIDE(x, 1);
}

/* Two red nodes, z and its parent, may follow each other. */
static void RB_(mend_insert)(TREE t, LINK z)
{
    for (uint steps = 0; steps < STEPS; steps++) {
        LINK parent = AT(z).parent;
        if (parent == NONE || AT(parent).colour == BLACK)
            break;
        LINK grand = AT(parent).parent;
        if (grand == NONE)
            break;
        uint on_left = IS_LEFT(parent, grand);
        LINK uncle = on_left ? AT(grand).right : AT(grand).left;
        if (uncle != NONE && AT(uncle).colour == RED) {
            AT(parent).colour = BLACK;
            AT(uncle).colour = BLACK;
            AT(grand).colour = RED;
            z = grand;
            continue;
        }
        if (on_left && IS_RIGHT(z, parent)) {
            RB_(rotate_left)(t, parent);
            parent = z;
        } else if (!on_left && IS_LEFT(z, parent)) {
            RB_(rotate_right)(t, parent);
            parent = z;
        }
        AT(parent).colour = BLACK;
        AT(grand).colour = RED;
        if (on_left)
            RB_(rotate_right)(t, grand);
        else
            RB_(rotate_left)(t, grand);
        break;
    }
    LINK root = AT(NONE).left;
    if (root != NONE && AT(root).colour == RED)
        AT(root).colour = BLACK;
}

/* Node z, which is in no tree yet, gets the key and a place. 0: the key is there already, and nothing has changed. */
static uint RB_(insert)(TREE t, LINK z, uint key)
{
    LINK parent = NONE, at = AT(NONE).left;
    uint on_right = 0;
    for (uint steps = 0; at != NONE && steps < STEPS; steps++) {
        uint other = AT(at).key;
        if (other == key)
            return 0;
        parent = at;
        on_right = key > other;
        at = on_right ? AT(at).right : AT(at).left;
    }
    AT(z).key = key;
    AT(z).left = NONE;
    AT(z).right = NONE;
    AT(z).parent = parent;
    AT(z).colour = RED;
    SET_SIDE(z, on_right);
    if (on_right)
        AT(parent).right = z;
    else
        AT(parent).left = z;
    RB_(mend_insert)(t, z);
    return 1;
}

static uint RB_(is_black)(TREE t, LINK x)
{
    return x == NONE || AT(x).colour == BLACK;
}

/* Ways through x, a child of parent, have one black node too few. */
static void RB_(mend_remove)(TREE t, LINK x, LINK parent)
{
    for (uint steps = 0; parent != NONE && RB_(is_black)(t, x) && steps < STEPS; steps++) {
        uint on_left = AT(parent).left == x;
        LINK other = on_left ? AT(parent).right : AT(parent).left;
        if (other == NONE)
            return;
        if (AT(other).colour == RED) {
            AT(other).colour = BLACK;
            AT(parent).colour = RED;
            if (on_left)
                RB_(rotate_left)(t, parent);
            else
                RB_(rotate_right)(t, parent);
            other = on_left ? AT(parent).right : AT(parent).left;
            if (other == NONE)
                return;
        }
        LINK near = on_left ? AT(other).left : AT(other).right;
        LINK far = on_left ? AT(other).right : AT(other).left;
        if (RB_(is_black)(t, near) && RB_(is_black)(t, far)) {
            AT(other).colour = RED;
            x = parent;
            parent = AT(x).parent;
            continue;
        }
        if (RB_(is_black)(t, far)) {
            AT(near).colour = BLACK;
            AT(other).colour = RED;
            if (on_left)
                RB_(rotate_right)(t, other);
            else
                RB_(rotate_left)(t, other);
            far = other;
            other = near;
        }
        AT(other).colour = AT(parent).colour;
        AT(parent).colour = BLACK;
        if (far != NONE)
            AT(far).colour = BLACK;
        if (on_left)
            RB_(rotate_left)(t, parent);
        else
            RB_(rotate_right)(t, parent);
        return;
    }
    if (x != NONE && AT(x).colour == RED)
        AT(x).colour = BLACK;
}

/* The node of a key; NONE: there is none. */
static LINK RB_(find)(TREE t, uint key)
{
    LINK at = AT(NONE).left;
    for (uint steps = 0; at != NONE && steps < STEPS; steps++) {
        uint other = AT(at).key;
        if (other == key)
            break;
        at = key > other ? AT(at).right : AT(at).left;
    }
    return at;
}

/* 0: the key is not there. */
static uint RB_(remove)(TREE t, uint key)
{
    LINK z = RB_(find)(t, key);
    if (z == NONE)
        return 0;
    LINK left = AT(z).left, y = z;
    if (left != NONE && AT(z).right != NONE) {
        y = AT(z).right;
        for (uint steps = 0; steps < STEPS; steps++) {
            left = AT(y).left;
            if (left == NONE)
                break;
            y = left;
        }
        AT(z).key = AT(y).key;
#ifdef RBTREE_VALUE
        AT(z).value = AT(y).value;
#endif
    }
    LINK x = left != NONE ? left : AT(y).right;
    LINK parent = AT(y).parent;
    uint y_on_left = IS_LEFT(y, parent);
    if (y_on_left)
        AT(parent).left = x;
    else
        AT(parent).right = x;
    if (x != NONE) {
        AT(x).parent = parent;
        SET_SIDE(x, !y_on_left);
    }
    if (AT(y).colour == BLACK)
        RB_(mend_remove)(t, x, parent);
    return 1;
}
