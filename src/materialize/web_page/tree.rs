//! Which tree is a page, as long as it stays within bounds?
//!
//! The parsing rules of HTML are quadratic in places: each tag looks through all open elements, each attribute through those
//! before it, formatting elements that nobody closes are opened anew in every paragraph, and what stands in a table at the
//! wrong place is put before it. Whatever walks the tree recurses. So the parser gets the page piece by piece, its tree counts
//! what it does, and between two pieces it is looked whether that is enough.

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::{StrTendril, TendrilSink as _};
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{Attribute, ExpandedName, ParseOpts, QualName, parse_document};
use markup5ever_rcdom::{Handle, Node, NodeData, RcDom};
use std::borrow::Cow;
use std::cell::Cell;
use std::rc::Rc;

/// Elements inside elements. Real pages have some dozens; what converts the tree recurses, several frames for each.
pub(super) const DEPTH_MAX: usize = 400;

/// Elements of a page: with their texts some hundred megabytes. Real ones have thousands.
const ELEMENTS_MAX: usize = 500_000;

/// Steps of everything that is quadratic: about a second.
const STEPS_MAX: usize = 200_000_000;

/// Steps to compare attributes, by their places: a second. A long comment and a picture in an address have such places too.
const ATTRIBUTE_STEPS_MAX: usize = 300_000_000;

/// Elements whose content is a tree of its own, which no depth counts.
const TEMPLATES_MAX: usize = 2_000;

/// Bytes of a piece. It is what the parser may go too far by; smaller ones only cost time.
const PIECE_BYTES: usize = 1024;

/// A parsed page.
pub(super) struct Tree {
    /// What was parsed.
    pub(super) document: Rc<Node>,
    /// Whether that is the whole page.
    pub(super) whole: bool,
}

/// Parses a page, or as much of it as the bounds allow.
pub(super) fn parse(html: &str) -> Tree {
    let counts = Rc::new(Counts::default());
    let dom = RcDom::default();
    let document = Rc::clone(&dom.document);
    let options = ParseOpts {
        tree_builder: TreeBuilderOpts {
            scripting_enabled: true,
            ..TreeBuilderOpts::default()
        },
        ..ParseOpts::default()
    };
    let sink = Counting {
        dom,
        counts: Rc::clone(&counts),
    };
    let mut parser = parse_document(sink, options);
    let mut rest = html;
    while !rest.is_empty() {
        let end = (PIECE_BYTES..rest.len()).find(|at| rest.is_char_boundary(*at));
        let (piece, behind) = rest.split_at(end.unwrap_or(rest.len()));
        parser.process(StrTendril::from(piece));
        counts.fed(piece);
        if counts.is_too_much() {
            return Tree {
                document,
                whole: false,
            };
        }
        rest = behind;
    }
    parser.finish();
    Tree {
        document,
        whole: !counts.is_too_much(),
    }
}

/// What the parser has done so far.
#[derive(Default)]
struct Counts {
    elements: Cell<usize>,
    templates: Cell<usize>,
    steps: Cell<usize>,
    attribute_steps: Cell<usize>,
    too_deep: Cell<bool>,
    /// Calls of the tree.
    calls: Cell<usize>,
    /// The same when the last piece was fed.
    calls_before: Cell<usize>,
    /// Places since the last call at which an attribute may begin: the parser tells of a tag only at its end.
    places: Cell<usize>,
}

impl Counts {
    fn called(&self) {
        self.calls.set(self.calls.get() + 1);
    }

    fn stepped(&self, steps: usize) {
        self.steps.set(self.steps.get().saturating_add(steps));
    }

    fn fed(&self, piece: &str) {
        let is_place =
            |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'"' | b'\'');
        let places = piece.bytes().filter(|byte| is_place(byte)).count();
        if self.calls_before.replace(self.calls.get()) == self.calls.get() {
            self.places.set(self.places.get() + places);
            let steps = self.attribute_steps.get() + self.places.get() * places;
            self.attribute_steps.set(steps);
        } else {
            self.places.set(places);
        }
    }

    fn is_too_much(&self) -> bool {
        self.too_deep.get()
            || self.elements.get() > ELEMENTS_MAX
            || self.templates.get() > TEMPLATES_MAX
            || self.steps.get() > STEPS_MAX
            || self.attribute_steps.get() > ATTRIBUTE_STEPS_MAX
    }
}

/// The tree of a page, which counts what is done to it.
struct Counting {
    dom: RcDom,
    counts: Rc<Counts>,
}

impl Counting {
    /// Notes whether an element lies too deep.
    fn look_at_depth(&self, parent: &Handle) {
        let mut depth = 0;
        let mut above = Some(Rc::clone(parent));
        while let Some(node) = above {
            depth += 1;
            if depth > DEPTH_MAX {
                self.counts.too_deep.set(true);
                return;
            }
            above = parent_of(&node);
        }
    }
}

/// The node above another one.
fn parent_of(node: &Handle) -> Option<Handle> {
    let parent = node.parent.take();
    node.parent.set(parent.clone());
    parent?.upgrade()
}

impl TreeSink for Counting {
    type Handle = Handle;
    type Output = ();
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) {}

    fn parse_error(&self, _message: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        self.dom.get_document()
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> ExpandedName<'a> {
        self.dom.elem_name(target)
    }

    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, flags: ElementFlags) -> Handle {
        let counts = &self.counts;
        counts.called();
        counts.elements.set(counts.elements.get() + 1);
        counts
            .templates
            .set(counts.templates.get() + usize::from(flags.template));
        self.dom.create_element(name, attrs, flags)
    }

    fn create_comment(&self, text: StrTendril) -> Handle {
        self.counts.called();
        self.dom.create_comment(text)
    }

    fn create_pi(&self, target: StrTendril, data: StrTendril) -> Handle {
        // What walks the tree expects none; HTML makes comments of them.
        let _ = target;
        self.create_comment(data)
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        self.counts.called();
        if matches!(child, NodeOrText::AppendNode(_)) {
            self.look_at_depth(parent);
        }
        self.dom.append(parent, child);
    }

    fn append_based_on_parent_node(
        &self,
        element: &Handle,
        previous: &Handle,
        child: NodeOrText<Handle>,
    ) {
        if parent_of(element).is_some() {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous, child);
        }
    }

    fn append_doctype_to_document(&self, name: StrTendril, public: StrTendril, system: StrTendril) {
        self.dom.append_doctype_to_document(name, public, system);
    }

    fn get_template_contents(&self, target: &Handle) -> Handle {
        self.dom.get_template_contents(target)
    }

    fn same_node(&self, one: &Handle, other: &Handle) -> bool {
        self.dom.same_node(one, other)
    }

    fn set_quirks_mode(&self, mode: QuirksMode) {
        self.dom.set_quirks_mode(mode);
    }

    fn append_before_sibling(&self, sibling: &Handle, child: NodeOrText<Handle>) {
        self.counts.called();
        if let Some(parent) = parent_of(sibling) {
            // The tree looks for the place.
            self.counts.stepped(parent.children.borrow().len());
            self.look_at_depth(&parent);
        }
        self.dom.append_before_sibling(sibling, child);
    }

    fn add_attrs_if_missing(&self, target: &Handle, attrs: Vec<Attribute>) {
        self.counts.called();
        if let NodeData::Element { attrs: own, .. } = &target.data {
            // Each is copied and compared, which costs more than a look.
            const COPY_STEPS: usize = 50;
            self.counts.stepped(own.borrow().len() * COPY_STEPS);
        }
        self.dom.add_attrs_if_missing(target, attrs);
    }

    fn remove_from_parent(&self, target: &Handle) {
        if let Some(parent) = parent_of(target) {
            self.counts.stepped(parent.children.borrow().len());
        }
        self.dom.remove_from_parent(target);
    }

    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        self.counts.stepped(node.children.borrow().len());
        self.dom.reparent_children(node, new_parent);
    }

    fn is_mathml_annotation_xml_integration_point(&self, target: &Handle) -> bool {
        self.dom.is_mathml_annotation_xml_integration_point(target)
    }

    fn maybe_clone_an_option_into_selectedcontent(&self, _option: &Handle) {
        // The chosen option stands in the page already; the copy is made by recursion.
    }
}
